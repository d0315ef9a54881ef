import { FormSection } from '../../components/FormSection.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { Field, TextArea, TextField } from '../../components/fields.tsx';
import { NameFields } from '../../components/NameFields.tsx';
import { text } from '../../text/text.ts';
import { readSchema, type ScriptDraft } from './script-draft.ts';

export interface ScriptFieldsProps {
  readonly draft: ScriptDraft;
  readonly isNew: boolean;
  /** The error of the last attempt to save, shown at its field. */
  readonly error: unknown;
  readonly onChange: (change: Partial<ScriptDraft>) => void;
}

const words = text.scripts;

/** The fields of a script. */
export function ScriptFields({ draft, isNew, error, onChange }: ScriptFieldsProps) {
  const schemaProblem = readSchema(draft.input) === 'invalid' ? words.inputInvalid : undefined;
  return (
    <>
      <FormSection title={words.sections.about} hint={words.sections.aboutHint}>
        <NameFields words={words} draft={draft} isNew={isNew} error={error} onChange={onChange} />
      </FormSection>
      <FormSection title={words.sections.code} hint={words.sections.codeHint}>
        <CodeField
          label={words.code}
          rows={14}
          error={problemAt(error, 'code')}
          value={draft.code}
          onChange={(code) => onChange({ code })}
        />
        <CodeField
          label={words.input}
          hint={words.inputHint}
          rows={6}
          error={schemaProblem ?? problemAt(error, 'input')}
          value={draft.input}
          onChange={(input) => onChange({ input })}
        />
      </FormSection>
      <FormSection title={words.sections.limits} hint={words.sections.limitsHint}>
        <TextField
          label={words.timeout}
          hint={words.timeoutHint}
          error={problemAt(error, 'timeout')}
          value={draft.timeout}
          onChange={(timeout) => onChange({ timeout })}
        />
        <TextField
          label={words.maxInstances}
          hint={words.maxInstancesHint}
          inputMode="numeric"
          error={problemAt(error, 'maxInstances')}
          value={draft.maxInstances}
          onChange={(maxInstances) => onChange({ maxInstances })}
        />
      </FormSection>
    </>
  );
}

interface CodeFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string;
  readonly rows: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function CodeField({ label, hint, error, rows, value, onChange }: CodeFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(props) => (
        <TextArea
          {...props}
          rows={rows}
          className="overflow-x-auto font-mono text-xs whitespace-pre"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
