import { useMemo, useState } from 'react';
import { Button } from '../Button.tsx';
import { ErrorNotice } from '../ErrorNotice.tsx';
import { problemAt } from '../field-problems.ts';
import { safeText } from '../safe-text.ts';
import { FormFieldInput } from './FormFieldInput.tsx';
import { firstValues, toContent, toFormFields } from './form-fields.ts';
import type { QuestionProps } from './question-props.ts';

/** A form that a server wants filled in. */
export function ElicitationForm({ question, busy, error, onAnswer }: QuestionProps) {
  const { message, requestedSchema } = question.params;
  const fields = useMemo(() => toFormFields(requestedSchema), [requestedSchema]);
  const [values, setValues] = useState(() => firstValues(fields));
  const problems = new Map(fields.map(({ name }) => [name, problemAt(error, `content.${name}`)]));
  const isSaidAtFields = [...problems.values()].some((problem) => problem !== undefined);
  return (
    <form
      aria-label={`Question of ${safeText(question.server, 80)}`}
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ action: 'accept', content: toContent(fields, values) });
      }}
    >
      <p className="break-words whitespace-pre-wrap">{safeText(message, 5_000)}</p>
      {fields.map((field) => (
        <FormFieldInput
          key={field.name}
          field={field}
          value={values.get(field.name)}
          onChange={(value) => setValues((before) => new Map(before).set(field.name, value))}
          error={problems.get(field.name)}
          disabled={busy}
        />
      ))}
      {error !== null && error !== undefined && !isSaidAtFields && (
        <ErrorNotice title="The answer was not taken" error={error} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={busy}>
          Accept
        </Button>
        <Button look="danger" disabled={busy} onClick={() => onAnswer({ action: 'decline' })}>
          Decline
        </Button>
        <Button look="quiet" disabled={busy} onClick={() => onAnswer({ action: 'cancel' })}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
