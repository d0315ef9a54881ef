import { Field, Input, Select } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { LongText } from '../LongText.tsx';
import { SecretInput } from '../SecretInput.tsx';
import type { PlanProblems } from './plan-problems.ts';
import { type RegistryInput, shownValue, type WayDraft, withValue } from './way-draft.ts';

export interface WayInputsProps {
  readonly inputs: readonly RegistryInput[];
  readonly draft: WayDraft;
  readonly problems: PlanProblems;
  readonly onChange: (draft: WayDraft) => void;
}

// A server that asks for more than this is set up in the form that follows.
const shownInputs = 100;

/** What the chosen way has to be told, as the registry describes it. */
export function WayInputs({ inputs, draft, problems, onChange }: WayInputsProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium">What it asks for</legend>
      {inputs.slice(0, shownInputs).map((input) => {
        const { key, description, isRequired } = input;
        return (
          <Field
            key={key}
            label={safeText(key, 100)}
            required={isRequired}
            error={problems.at(key)}
            {...(description !== undefined && description !== '' && { hint: <LongText text={description} /> })}
          >
            {(field) => (
              <WayInput
                {...field}
                input={input}
                value={shownValue(draft, input)}
                onChange={(value) => onChange(withValue(draft, key, value))}
              />
            )}
          </Field>
        );
      })}
      {inputs.length > shownInputs && (
        <p className="text-xs text-ink-faint">
          The first {shownInputs} of {inputs.length} values are shown.
        </p>
      )}
    </fieldset>
  );
}

interface WayInputProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly required: boolean | undefined;
  readonly input: RegistryInput;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function WayInput({ input, value, onChange, ...field }: WayInputProps) {
  const { key, choices, isSecret, placeholder, default: usual } = input;
  if (choices) {
    return (
      <Select {...field} value={value} onChange={(event) => onChange(event.target.value)}>
        {(value === '' || (!field.required && usual === undefined)) && <option value="">Not chosen</option>}
        {[...new Set(choices)].map((choice) => (
          <option key={choice} value={choice}>
            {safeText(choice, 200)}
          </option>
        ))}
      </Select>
    );
  }
  const example = safeText(placeholder ?? (isSecret ? '' : usual), 200);
  if (isSecret) {
    return (
      <SecretInput
        {...field}
        what={safeText(key, 100)}
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
