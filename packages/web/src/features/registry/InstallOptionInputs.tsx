import { ExpandableText } from '../../components/ExpandableText.tsx';
import { Field, Input, Select } from '../../components/fields.tsx';
import { SecretInput } from '../../components/SecretInput.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatNumber } from '../../text/formats.ts';
import { type InstallDraft, type RegistryInput, readValue, withValue } from './install-draft.ts';
import type { PlanProblems } from './plan-problems.ts';

export interface InstallOptionInputsProps {
  readonly inputs: readonly RegistryInput[];
  readonly draft: InstallDraft;
  readonly problems: PlanProblems;
  readonly onChange: (draft: InstallDraft) => void;
}

// Further values can be set in the form that follows.
const maxInputs = 100;

/** The values that the selected install option needs. */
export function InstallOptionInputs({ inputs, draft, problems, onChange }: InstallOptionInputsProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium">Values</legend>
      {inputs.slice(0, maxInputs).map((input) => {
        const { key, description, isRequired } = input;
        return (
          <Field
            key={key}
            label={safeText(key, 100)}
            required={isRequired}
            error={problems.at(key)}
            hint={description ? <ExpandableText text={description} /> : undefined}
          >
            {(field) => (
              <InstallOptionInput
                {...field}
                input={input}
                value={readValue(draft, input)}
                onChange={(value) => onChange(withValue(draft, key, value))}
              />
            )}
          </Field>
        );
      })}
      {inputs.length > maxInputs && (
        <p className="text-xs text-ink-faint">
          {`The first ${formatNumber(maxInputs)} of ${formatNumber(inputs.length)} values are shown.`}
        </p>
      )}
    </fieldset>
  );
}

interface InstallOptionInputProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly required: boolean | undefined;
  readonly input: RegistryInput;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function InstallOptionInput({ input, value, onChange, ...field }: InstallOptionInputProps) {
  const { key, choices, isSecret, placeholder, default: defaultValue } = input;
  if (choices) {
    return (
      <Select {...field} value={value} onChange={(event) => onChange(event.target.value)}>
        {(value === '' || (!field.required && defaultValue === undefined)) && <option value="">Not set</option>}
        {[...new Set(choices)].map((choice) => (
          <option key={choice} value={choice}>
            {safeText(choice, 200)}
          </option>
        ))}
      </Select>
    );
  }
  const example = safeText(placeholder ?? (isSecret ? '' : defaultValue), 200);
  if (isSecret) {
    return (
      <SecretInput
        {...field}
        noun={safeText(key, 100)}
        placeholder={example}
        value={value}
        onChange={(next) => onChange(typeof next === 'string' ? next : '')}
      />
    );
  }
  return (
    <Input
      {...field}
      className="font-mono"
      placeholder={example}
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
