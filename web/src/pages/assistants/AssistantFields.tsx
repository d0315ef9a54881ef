import { type ReactNode, useId, useMemo } from 'react';
import { Notice } from '../../components/ErrorNotice.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { Field, RadioCards, TextArea, TextField } from '../../components/fields.tsx';
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

/** The fields of an assistant. */
export function AssistantFields({ draft, error, onChange }: AssistantFieldsProps) {
  return (
    <>
      <Section title="About" hint="The name, and the instructions for the model.">
        <TextField
          label="Name"
          required
          error={problemAt(error, 'name')}
          value={draft.name}
          onChange={(text) => onChange({ name: text })}
        />
        <TextField
          label="Description"
          hint="For people. The model does not see it."
          error={problemAt(error, 'description')}
          value={draft.description}
          onChange={(text) => onChange({ description: text })}
        />
        <Field
          label="Instructions"
          hint="Sent to the model as the system prompt: its role and its task."
          error={problemAt(error, 'instructions')}
        >
          {(props) => (
            <TextArea
              {...props}
              rows={6}
              value={draft.instructions}
              onChange={(event) => onChange({ instructions: event.target.value })}
            />
          )}
        </Field>
      </Section>
      <Section title="Model" hint="The model that answers.">
        <ModelFields model={draft.model} error={error} onChange={(model) => onChange({ model })} />
      </Section>
      <Section
        title="Tools"
        hint="The servers and tools that the assistant can use. Models choose better among fewer tools."
      >
        <ToolSelector
          serverIds={draft.serverIds}
          disabledTools={draft.disabledTools}
          trustedTools={draft.trustedTools}
          error={problemAt(error, 'serverIds') ?? problemAt(error, 'disabledTools')}
          onChange={onChange}
        />
      </Section>
      <Section
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
            error={problemAt(error, 'trustedTools')}
            onChange={(trustedTools) => onChange({ trustedTools })}
          />
        )}
      </Section>
      <Section title="Limits" hint="Stops runaway replies.">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Steps per answer"
            hint="The maximum number of model calls, 1 to 200."
            error={problemAt(error, 'maxSteps')}
            type="number"
            min={1}
            max={200}
            value={draft.maxSteps}
            onChange={(text) => onChange({ maxSteps: text })}
          />
          <TextField
            label="Tokens per answer"
            hint="Input and output over all steps. Leave empty for no limit."
            error={problemAt(error, 'maxTokens')}
            type="number"
            min={100}
            placeholder="No limit"
            value={draft.maxTokens}
            onChange={(text) => onChange({ maxTokens: text })}
          />
        </div>
      </Section>
    </>
  );
}

interface SectionProps {
  readonly title: string;
  readonly hint: ReactNode;
  readonly children: ReactNode;
}

function Section({ title, hint, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid gap-x-8 gap-y-3 lg:grid-cols-[15rem_minmax(0,1fr)]">
      <div>
        <h2 id={id} className="text-base">
          {title}
        </h2>
        <p className="mt-0.5 text-ink-soft">{hint}</p>
      </div>
      <div className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-4">{children}</div>
    </section>
  );
}

interface TrustedToolsProps extends Pick<AssistantDraft, 'serverIds' | 'disabledTools'> {
  readonly patterns: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (patterns: readonly string[]) => void;
}

/** The tools of the assistant that run without approval. */
function TrustedTools({ serverIds, disabledTools, patterns, error, onChange }: TrustedToolsProps) {
  const { preview } = useToolPreview({ serverIds, disabledTools, trustedTools: patterns });
  const enabledTools = useMemo(() => preview?.tools.filter(({ enabled }) => enabled) ?? [], [preview]);
  return (
    <>
      <PatternField
        label="Trusted tools"
        hint="Select a tool or type a pattern such as files/read_*. Use server/tool, so that no other server can take the name."
        patterns={patterns}
        removeLabel="Stop trusting"
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
