import { Field, SelectField, TextArea, TextField } from '../../components/fields.tsx';
import { text } from '../../text/text.ts';
import type { FormPartProps } from './form-problems.ts';
import type { ServerDraft } from './server-draft.ts';

const words = text.servers.advanced;
const toOptions = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  Object.entries(labels) as [Value, string][];

/** Settings that most servers do not need. */
export function AdvancedFields({ draft, problems, onChange }: FormPartProps) {
  return (
    <details>
      <summary className="cursor-pointer font-medium">{words.title}</summary>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <SelectField
          label={words.isolation}
          hint={words.isolationHint}
          error={problems.at('isolation')}
          options={toOptions<ServerDraft['isolation']>(words.isolations)}
          value={draft.isolation}
          onChange={(isolation) => onChange({ isolation })}
        />
        <SelectField
          label={words.credentials}
          hint={words.credentialsHint}
          error={problems.at('credentials')}
          options={toOptions<ServerDraft['credentials']>(words.credentialChoices)}
          value={draft.credentials}
          onChange={(credentials) => onChange({ credentials })}
        />
        <SelectField
          label={words.validation}
          hint={words.validationHint}
          error={problems.at('validation')}
          options={toOptions<ServerDraft['validation']>(words.validations)}
          value={draft.validation}
          onChange={(validation) => onChange({ validation })}
        />
        {draft.transport === 'stdio' && (
          <SelectField
            label={words.placement}
            hint={words.placementHint}
            error={problems.at('placement')}
            options={toOptions<ServerDraft['placement']>(words.placements)}
            value={draft.placement}
            onChange={(placement) => onChange({ placement })}
          />
        )}
        <TextField
          label={words.maxTimeout}
          hint={words.maxTimeoutHint}
          error={problems.at('maxTimeout')}
          inputMode="numeric"
          placeholder={words.default}
          value={draft.maxTimeout}
          onChange={(maxTimeout) => onChange({ maxTimeout })}
        />
        <Field label={words.roots} hint={words.rootsHint} error={problems.at('roots')} className="sm:col-span-2">
          {(field) => (
            <TextArea
              {...field}
              rows={2}
              spellCheck={false}
              className="font-mono"
              value={draft.roots}
              onChange={(event) => onChange({ roots: event.target.value })}
            />
          )}
        </Field>
      </div>
    </details>
  );
}
