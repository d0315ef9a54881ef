import { Field, Input } from '../../components/fields.tsx';

export interface AddressFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly required?: boolean;
  /** As it is stored, without its query. */
  readonly stored: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (address: string) => void;
}

/** The address of something that the gateway asks. Its query may be a secret, which is stored and never shown. */
export function AddressField({ label, hint, required = false, stored, value, error, onChange }: AddressFieldProps) {
  const keepsQuery = stored.endsWith('?…');
  return (
    <Field
      label={label}
      required={required}
      hint={
        keepsQuery
          ? 'What follows the question mark is stored and not shown. It stays as long as this address does.'
          : hint
      }
      error={error}
    >
      {(field) => (
        <Input
          {...field}
          type="url"
          inputMode="url"
          className="font-mono"
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
