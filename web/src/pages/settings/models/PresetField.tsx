import { Field, Select } from '../../../components/fields.tsx';
import { type ProviderPreset, presets } from './provider-presets.ts';

export interface PresetFieldProps {
  readonly value: ProviderPreset;
  readonly onChange: (preset: ProviderPreset) => void;
}

/** What to add, by its name; fills in the rest. */
export function PresetField({ value, onChange }: PresetFieldProps) {
  return (
    <Field label="Provider">
      {(props) => (
        <Select
          {...props}
          value={value.name}
          onChange={(event) => {
            const chosen = presets.find(({ name }) => name === event.target.value);
            if (chosen) onChange(chosen);
          }}
        >
          {presets.map(({ name }) => (
            <option key={name} value={name}>
              {name === 'Other' ? 'Another that is OpenAI-compatible' : name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
