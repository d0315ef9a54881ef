import { problemAt } from '../../components/field-problems.ts';
import { Field, Input, TextArea } from '../../components/fields.tsx';
import { ApprovalModeField } from './ApprovalModeField.tsx';
import type { AssistantDraft } from './assistant-draft.ts';
import { EditorSection } from './EditorSection.tsx';
import { ModelFields } from './ModelFields.tsx';
import { ToolSelector } from './ToolSelector.tsx';
import { TrustedTools } from './TrustedTools.tsx';

export interface AssistantFieldsProps {
  readonly draft: AssistantDraft;
  /** Why it could not be saved; said at the field that it is about. */
  readonly error: unknown;
  readonly onChange: (change: Partial<AssistantDraft>) => void;
}

export function AssistantFields({ draft, error, onChange }: AssistantFieldsProps) {
  return (
    <>
      <EditorSection title="About" hint="How you find it again, and what the model is told before anything else.">
        <Field label="Name" required error={problemAt(error, 'name')}>
          {(props) => (
            <Input {...props} value={draft.name} onChange={(event) => onChange({ name: event.target.value })} />
          )}
        </Field>
        <Field
          label="Description"
          hint="For people. The model does not see it."
          error={problemAt(error, 'description')}
        >
          {(props) => (
            <Input
              {...props}
              value={draft.description}
              onChange={(event) => onChange({ description: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Instructions"
          hint="For the model: who it is, what it is to do, and how."
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
      </EditorSection>
      <EditorSection title="Model" hint="Who thinks. Calls of tools go through this gateway whatever you choose.">
        <ModelFields model={draft.model} error={error} onChange={(model) => onChange({ model })} />
      </EditorSection>
      <EditorSection
        title="Tools"
        hint="The servers whose tools it has. Models choose better among few: switch off what it does not need."
      >
        <ToolSelector
          serverIds={draft.serverIds}
          disabledTools={draft.disabledTools}
          trustedTools={draft.trustedTools}
          error={problemAt(error, 'serverIds') ?? problemAt(error, 'disabledTools')}
          onChange={onChange}
        />
      </EditorSection>
      <EditorSection
        title="Approval"
        hint="When a call has to wait for a person. What the configuration denies or always asks about stays so, and a tool whose definition changed asks anyway."
      >
        <ApprovalModeField mode={draft.toolApproval} onChange={(toolApproval) => onChange({ toolApproval })} />
        {draft.toolApproval === 'trusted-only' && (
          <TrustedTools
            serverIds={draft.serverIds}
            disabledTools={draft.disabledTools}
            patterns={draft.trustedTools}
            error={problemAt(error, 'trustedTools')}
            onChange={(trustedTools) => onChange({ trustedTools })}
          />
        )}
      </EditorSection>
      <EditorSection title="Limits" hint="Where an answer ends that would go on and on.">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Steps per answer"
            hint="How often the model may be asked until it has to come to an end; 1 to 200."
            error={problemAt(error, 'maxSteps')}
          >
            {(props) => (
              <Input
                {...props}
                type="number"
                min={1}
                max={200}
                value={draft.maxSteps}
                onChange={(event) => onChange({ maxSteps: event.target.value })}
              />
            )}
          </Field>
          <Field
            label="Tokens per answer"
            hint="Question and answer together, over all steps. Empty: no limit."
            error={problemAt(error, 'maxTokens')}
          >
            {(props) => (
              <Input
                {...props}
                type="number"
                min={100}
                placeholder="No limit"
                value={draft.maxTokens}
                onChange={(event) => onChange({ maxTokens: event.target.value })}
              />
            )}
          </Field>
        </div>
      </EditorSection>
    </>
  );
}
