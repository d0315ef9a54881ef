import { FormSection } from '../../components/FormSection.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { TextAreaField } from '../../components/fields.tsx';
import { NameFields } from '../../components/NameFields.tsx';
import { SettingFields } from '../../components/settings-form/SettingFields.tsx';
import { otherFields } from '../../components/settings-form/setting-values.ts';
import { readSchema, type ScriptDraft } from './script-draft.ts';

export interface ScriptFieldsProps {
  readonly draft: ScriptDraft;
  readonly isNew: boolean;
  /** The error of the last attempt to save, shown at its field. */
  readonly error: unknown;
  readonly onChange: (change: Partial<ScriptDraft>) => void;
}

/** The fields of a script. */
export function ScriptFields({ draft, isNew, error, onChange }: ScriptFieldsProps) {
  const schemaProblem = readSchema(draft.input) === 'invalid' ? 'This is not a JSON object' : undefined;
  return (
    <>
      <FormSection title="About" hint="Models see the name and the description.">
        <NameFields
          nameHint="1 to 64 of A-Z, a-z, 0-9, _ and -."
          descriptionHint="What the script does, and when to use it."
          draft={draft}
          isNew={isNew}
          error={error}
          onChange={onChange}
        />
      </FormSection>
      <FormSection
        title="Script"
        hint="TypeScript or JavaScript. Call tools as tools.SERVER.TOOL(…), read the arguments from input, and end with the result."
      >
        <TextAreaField
          mono
          label="Code"
          rows={14}
          error={problemAt(error, 'code')}
          value={draft.code}
          onChange={(code) => onChange({ code })}
        />
        <TextAreaField
          mono
          label="Schema of the arguments"
          hint="A JSON Schema with type: object. Leave it empty if the script has no arguments."
          rows={6}
          error={schemaProblem ?? problemAt(error, 'input')}
          value={draft.input}
          onChange={(input) => onChange({ input })}
        />
      </FormSection>
      <FormSection title="Limits" hint="Each call of the script has its own limits too.">
        <SettingFields
          fields={otherFields('script', ['description', 'code', 'input'])}
          values={draft}
          problemAt={(path) => problemAt(error, path)}
          onChange={onChange}
        />
      </FormSection>
    </>
  );
}
