import { useMemo, useState } from 'react';
import { Button } from '../Button.tsx';
import { isRecord } from '../content/is-record.ts';
import { ErrorNotice } from '../ErrorNotice.tsx';
import { problemAt } from '../field-problems.ts';
import { SchemaForm } from '../SchemaForm.tsx';
import { safeText } from '../safe-text.ts';
import { toPointer } from '../schema-form/form-context.ts';
import { initialValue } from '../schema-form/form-values.ts';
import { toFormSchema } from '../schema-form/to-form-schema.ts';
import type { QuestionProps } from './question-props.ts';
import { toQuestionSchema } from './question-schema.ts';

/** A form that a server asks a person to fill in. */
export function ElicitationForm({ question, busy, error, onAnswer }: QuestionProps) {
  const { message, requestedSchema } = question.params;
  const schema = useMemo(() => toQuestionSchema(requestedSchema), [requestedSchema]);
  const [content, setContent] = useState(() => firstContent(schema));
  const [jsonProblem, setJsonProblem] = useState<string>();
  const problems = useMemo(() => {
    const messages = Object.keys(schema.properties).map((name) => [name, problemAt(error, `content.${name}`)] as const);
    return messages.flatMap(([name, message]) => (message === undefined ? [] : [{ path: toPointer([name]), message }]));
  }, [schema, error]);
  return (
    <form
      aria-label={`Question of ${safeText(question.server, 80)}`}
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (jsonProblem === undefined) onAnswer({ action: 'accept', content });
      }}
    >
      <p className="break-words whitespace-pre-wrap">{safeText(message, 5_000)}</p>
      <SchemaForm
        purpose="question"
        schema={schema}
        value={content}
        onChange={setContent}
        onProblem={setJsonProblem}
        problems={problems}
        disabled={busy}
      />
      {error !== null && error !== undefined && problems.length === 0 && (
        <ErrorNotice title="The answer was rejected" error={error} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={busy} disabled={jsonProblem !== undefined}>
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

function firstContent(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const form = toFormSchema(schema);
  const value = form.ok ? initialValue(form.schema) : {};
  return isRecord(value) ? value : {};
}
