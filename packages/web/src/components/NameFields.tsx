import { problemAt } from './field-problems.ts';
import { TextAreaField, TextField } from './fields.tsx';

interface Named {
  readonly name: string;
  readonly description?: string;
}

export interface NameFieldsProps {
  readonly nameHint: string;
  readonly descriptionHint?: string;
  readonly draft: Named;
  /** Only new things can be named. */
  readonly isNew: boolean;
  /** The error of the last attempt to save, shown at its field. */
  readonly error: unknown;
  readonly onChange: (change: Partial<Named>) => void;
}

/** The name and the description of a thing that is part of a URL or of a tool's name. */
export function NameFields({ nameHint, descriptionHint, draft, isNew, error, onChange }: NameFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        hint={nameHint}
        required
        mono
        disabled={!isNew}
        error={problemAt(error, 'name')}
        value={draft.name}
        onChange={(name) => onChange({ name })}
      />
      <TextAreaField
        label="Description"
        hint={descriptionHint}
        rows={2}
        error={problemAt(error, 'description')}
        value={draft.description ?? ''}
        onChange={(description) => onChange({ description })}
      />
    </>
  );
}
