import { Checkbox, Field, Input, Select, TextArea } from '../fields.tsx';
import type { FieldValue, FormField } from './form-fields.ts';

export interface FormFieldInputProps {
  readonly field: FormField;
  readonly value: FieldValue | undefined;
  readonly onChange: (value: FieldValue) => void;
  readonly error?: string | undefined;
  readonly disabled: boolean;
}

/** The input for one field of a server's form. */
export function FormFieldInput({ field, value, onChange, error, disabled }: FormFieldInputProps) {
  if (field.kind === 'boolean') {
    return (
      <Checkbox
        label={field.label}
        {...(hintOf(field) !== undefined && { hint: hintOf(field) })}
        checked={value === true}
        onChange={onChange}
        disabled={disabled}
      />
    );
  }
  if (field.kind === 'several') return <Several {...{ field, value, onChange, error, disabled }} />;
  const text = typeof value === 'string' ? value : '';
  return (
    <Field label={field.label} hint={hintOf(field)} error={error} required={field.required}>
      {(props) => {
        const shared = {
          ...props,
          disabled,
          value: text,
          onChange: (event: { readonly target: { readonly value: string } }) => onChange(event.target.value),
        };
        if (field.kind === 'one') {
          return (
            <Select {...shared}>
              <option value="">{field.required ? 'Choose one …' : 'None'}</option>
              {field.choices.map((choice) => (
                <option key={choice.value} value={choice.value}>
                  {choice.label}
                </option>
              ))}
            </Select>
          );
        }
        if (field.kind !== 'text') {
          return (
            <Input
              {...shared}
              type="number"
              step={field.kind === 'integer' ? 1 : 'any'}
              min={field.least}
              max={field.most}
            />
          );
        }
        const bounds = { minLength: field.least, maxLength: field.most };
        if (field.input === 'text' && (field.most ?? 0) > 200) return <TextArea {...shared} {...bounds} />;
        return <Input {...shared} {...bounds} type={field.input} autoComplete="off" />;
      }}
    </Field>
  );
}

function Several({ field, value, onChange, error, disabled }: FormFieldInputProps) {
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">
        {field.label}
        {field.required && (
          <span className="text-bad" aria-hidden>
            {' '}
            *
          </span>
        )}
      </legend>
      <div className="flex max-h-60 flex-col gap-1.5 overflow-y-auto">
        {field.choices.map((choice) => (
          <Checkbox
            key={choice.value}
            label={choice.label}
            checked={chosen.includes(choice.value)}
            disabled={disabled}
            onChange={(checked) =>
              onChange(checked ? [...chosen, choice.value] : chosen.filter((one) => one !== choice.value))
            }
          />
        ))}
      </div>
      {hintOf(field) !== undefined && <p className="text-xs text-ink-faint">{hintOf(field)}</p>}
      {error !== undefined && <p className="text-xs text-bad">{error}</p>}
    </fieldset>
  );
}

/** The server's own words, and what it allows. */
function hintOf({ hint, kind, least, most, secret }: FormField): string | undefined {
  const unit = kind === 'several' ? ' choices' : kind === 'text' ? ' characters' : '';
  const bounds =
    least !== undefined && most !== undefined
      ? `${least} to ${most}${unit}.`
      : least !== undefined
        ? `At least ${least}${unit}.`
        : most !== undefined
          ? `At most ${most}${unit}.`
          : undefined;
  const warning = secret ? 'This looks like a secret. Servers must not ask for secrets in a form.' : undefined;
  const words = [hint, bounds, warning].filter((part) => part !== undefined);
  return words.length > 0 ? words.join(' ') : undefined;
}
