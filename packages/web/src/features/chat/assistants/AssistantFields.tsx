import { useMemo } from 'react';
import type { FormField } from '../../../../../contract/form-fields.ts';
import { approvalModes } from '../../../components/approval/approval-modes.ts';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { FormSection } from '../../../components/FormSection.tsx';
import { problemAt } from '../../../components/field-problems.ts';
import { TextAreaField, TextField } from '../../../components/fields.tsx';
import { RadioCards } from '../../../components/RadioCards.tsx';
import { SettingFields } from '../../../components/settings-form/SettingFields.tsx';
import { fieldsFor, otherFields } from '../../../components/settings-form/setting-values.ts';
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

/** The settings that stand in a section with others. */
const placed = [
  ...['id', 'name', 'description', 'instructions', 'model', 'serverIds', 'disabledTools', 'expose'],
  ...['toolApproval', 'trustedTools'],
];

/** The fields of an assistant. */
export function AssistantFields({ draft, error, onChange }: AssistantFieldsProps) {
  const settings = (fields: readonly FormField[]) => (
    <SettingFields fields={fields} values={draft} problemAt={(path) => problemAt(error, path)} onChange={onChange} />
  );
  return (
    <>
      <FormSection title="About" hint="The name, and the instructions for the model.">
        <TextField
          label="Name"
          required
          error={problemAt(error, 'name')}
          value={draft.name}
          onChange={(name) => onChange({ name })}
        />
        {settings(fieldsFor('assistant', ['description']))}
        <TextAreaField
          label="Instructions"
          hint="Sent to the model as the system prompt: its role and its task."
          error={problemAt(error, 'instructions')}
          rows={6}
          value={draft.instructions}
          onChange={(instructions) => onChange({ instructions })}
        />
      </FormSection>
      <FormSection title="Model" hint="The model that answers.">
        <ModelFields model={draft.model} error={error} onChange={(model) => onChange({ model })} />
      </FormSection>
      <FormSection
        title="Tools"
        hint="The servers and tools that the assistant can use. Models choose better among fewer tools."
      >
        <ToolSelector
          serverIds={draft.serverIds}
          disabledTools={draft.disabledTools}
          trustedTools={draft.trustedTools}
          expose={draft.expose}
          error={problemAt(error, 'serverIds') ?? problemAt(error, 'disabledTools')}
          onChange={onChange}
        />
        {settings(fieldsFor('assistant', ['expose']))}
      </FormSection>
      <FormSection
        title="Approval"
        hint="Which calls need approval. The deny and ask lists of the configuration still apply, and a changed tool always needs approval."
      >
        <RadioCards
          label="Approval mode"
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
      <FormSection title="Limits" hint="Stops runaway replies.">
        <div className="grid gap-4 sm:grid-cols-2">{settings(otherFields('assistant', placed))}</div>
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
        label="Trusted tools"
        hint="Select a tool or type a pattern such as files/read_*. Use server/tool, so that no other server can take the name."
        patterns={patterns}
        removeVerb="Stop trusting"
        tools={enabledTools}
        matchesOf={({ trustedBy, enabled }) => (enabled ? trustedBy : [])}
        preview={preview}
        error={error}
        onChange={onChange}
      />
      {patterns.length === 0 && (
        <Notice>
          No trusted tools yet. Only read-only tools on servers that the configuration marks as trusted run without
          approval.
        </Notice>
      )}
    </>
  );
}
