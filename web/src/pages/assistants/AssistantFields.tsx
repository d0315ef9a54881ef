import { useMemo } from 'react';
import { Notice } from '../../components/ErrorNotice.tsx';
import { FormSection } from '../../components/FormSection.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { SelectField, TextAreaField, TextField } from '../../components/fields.tsx';
import { RadioCards } from '../../components/RadioCards.tsx';
import { text } from '../../text/text.ts';
import { approvalModes } from './approval-modes.ts';
import type { AssistantDraft } from './assistant-draft.ts';
import { ModelFields } from './ModelFields.tsx';
import { PatternField } from './PatternField.tsx';
import { ToolSelector } from './ToolSelector.tsx';
import { useToolPreview } from './use-tool-preview.ts';

export interface AssistantFieldsProps {
  readonly draft: AssistantDraft;
  /** The error of the last attempt to save, shown at its field. */
  readonly error: unknown;
  readonly onChange: (change: Partial<AssistantDraft>) => void;
}

const modeOptions = (Object.keys(approvalModes) as AssistantDraft['toolApproval'][]).map((value) => ({
  value,
  title: approvalModes[value].label,
  hint: approvalModes[value].meaning,
}));

const exposeOptions = (Object.keys(text.assistants.fields.exposures) as AssistantDraft['expose'][]).map(
  (value) => [value, text.assistants.fields.exposures[value]] as const,
);

/** The fields of an assistant. */
export function AssistantFields({ draft, error, onChange }: AssistantFieldsProps) {
  return (
    <>
      <FormSection title={text.assistants.fields.about} hint={text.assistants.fields.aboutHint}>
        <TextField
          label={text.assistants.fields.name}
          required
          error={problemAt(error, 'name')}
          value={draft.name}
          onChange={(name) => onChange({ name })}
        />
        <TextField
          label={text.assistants.fields.description}
          hint={text.assistants.fields.descriptionHint}
          error={problemAt(error, 'description')}
          value={draft.description}
          onChange={(description) => onChange({ description })}
        />
        <TextAreaField
          label={text.assistants.fields.instructions}
          hint={text.assistants.fields.instructionsHint}
          error={problemAt(error, 'instructions')}
          rows={6}
          value={draft.instructions}
          onChange={(instructions) => onChange({ instructions })}
        />
      </FormSection>
      <FormSection title={text.assistants.fields.model} hint={text.assistants.fields.modelHint}>
        <ModelFields model={draft.model} error={error} onChange={(model) => onChange({ model })} />
      </FormSection>
      <FormSection title={text.assistants.fields.tools} hint={text.assistants.fields.toolsHint}>
        <ToolSelector
          serverIds={draft.serverIds}
          disabledTools={draft.disabledTools}
          trustedTools={draft.trustedTools}
          expose={draft.expose}
          error={problemAt(error, 'serverIds') ?? problemAt(error, 'disabledTools')}
          onChange={onChange}
        />
        <SelectField
          label={text.assistants.fields.expose}
          hint={text.assistants.fields.exposeHint}
          options={exposeOptions}
          value={draft.expose}
          onChange={(expose) => onChange({ expose })}
        />
      </FormSection>
      <FormSection title={text.assistants.fields.approval} hint={text.assistants.fields.approvalHint}>
        <RadioCards
          label={text.assistants.fields.approvalMode}
          options={modeOptions}
          value={draft.toolApproval}
          onChange={(toolApproval) => onChange({ toolApproval })}
          className="sm:grid-cols-3"
        />
        {draft.toolApproval === 'trusted-only' && (
          <TrustedTools
            serverIds={draft.serverIds}
            disabledTools={draft.disabledTools}
            patterns={draft.trustedTools}
            expose={draft.expose}
            error={problemAt(error, 'trustedTools')}
            onChange={(trustedTools) => onChange({ trustedTools })}
          />
        )}
      </FormSection>
      <FormSection title={text.assistants.fields.limits} hint={text.assistants.fields.limitsHint}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={text.assistants.fields.steps}
            hint={text.assistants.fields.stepsHint}
            error={problemAt(error, 'maxSteps')}
            type="number"
            min={1}
            max={200}
            value={draft.maxSteps}
            onChange={(maxSteps) => onChange({ maxSteps })}
          />
          <TextField
            label={text.assistants.fields.tokens}
            hint={text.assistants.fields.tokensHint}
            error={problemAt(error, 'maxTokens')}
            type="number"
            min={100}
            placeholder={text.assistants.fields.noLimit}
            value={draft.maxTokens}
            onChange={(maxTokens) => onChange({ maxTokens })}
          />
        </div>
      </FormSection>
    </>
  );
}

interface TrustedToolsProps extends Pick<AssistantDraft, 'serverIds' | 'disabledTools' | 'expose'> {
  readonly patterns: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (patterns: readonly string[]) => void;
}

/** The tools of the assistant that run without approval. */
function TrustedTools({ serverIds, disabledTools, expose, patterns, error, onChange }: TrustedToolsProps) {
  const { preview } = useToolPreview({ serverIds, disabledTools, trustedTools: patterns, expose });
  const enabledTools = useMemo(() => preview?.tools.filter(({ enabled }) => enabled) ?? [], [preview]);
  return (
    <>
      <PatternField
        label={text.assistants.fields.trusted}
        hint={text.assistants.fields.trustedHint}
        patterns={patterns}
        labelRemove={text.assistants.fields.stopTrusting}
        tools={enabledTools}
        matchesOf={({ trustedBy, enabled }) => (enabled ? trustedBy : [])}
        preview={preview}
        error={error}
        onChange={onChange}
      />
      {patterns.length === 0 && <Notice>{text.assistants.fields.noTrusted}</Notice>}
    </>
  );
}
