import { Tabs } from 'radix-ui';
import { lazy, type ReactNode, Suspense, useEffect, useId, useMemo, useRef, useState } from 'react';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Notice } from './ErrorNotice.tsx';
import { TextArea } from './fields.tsx';
import { Spinner } from './Spinner.tsx';
import { readArguments } from './schema-form/read-arguments.ts';
import { type FormSchemaResult, toFormSchema } from './schema-form/to-form-schema.ts';

const GeneratedForm = lazy(() => import('./schema-form/GeneratedForm.tsx'));

type Values = Readonly<Record<string, unknown>>;

export interface SchemaFormProps {
  /** A server's JSON Schema of an object. */
  readonly schema: Values;
  readonly value: Values;
  readonly onChange: (value: Values) => void;
  readonly disabled?: boolean;
  /** Problems of single values, by JSON pointer; shown at the fields. */
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
  /** Receives the problem of the JSON text, and undefined when it is valid again. Meanwhile the value stays the same. */
  readonly onProblem?: (problem: string | undefined) => void;
  /** `arguments` (default) can be written as JSON too; for a `question` that is only the fallback. */
  readonly purpose?: 'arguments' | 'question';
}

/** A form for an object, generated from its JSON Schema, and a JSON editor for the same value. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, value, onChange, disabled = false, onProblem, purpose = 'arguments' } = props;
  const form = useMemo(() => toFormSchema(schema), [schema]);
  const [tab, setTab] = useState<string>();
  const [words, setText] = useState(() => JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState<string>();
  const [seen, setSeen] = useState(value);
  const reported = useRef(value);
  if (seen !== value) {
    setSeen(value);
    // A value that this form reported must not change the text under the cursor.
    if (JSON.stringify(value) !== JSON.stringify(reported.current)) {
      setText(JSON.stringify(value, null, 2));
      setProblem(undefined);
    }
  }

  const latestOnProblem = useRef(onProblem);
  latestOnProblem.current = onProblem;
  useEffect(() => latestOnProblem.current?.(problem), [problem]);

  function report(next: Values): void {
    reported.current = next;
    onChange(next);
  }

  function changeText(next: string): void {
    setText(next);
    const read = readArguments(next);
    setProblem(read.ok ? undefined : read.problem);
    if (read.ok) report(read.value);
  }

  function changeFields(next: Values): void {
    setText(JSON.stringify(next, null, 2));
    setProblem(undefined);
    report(next);
  }

  const fields = form.ok && <Fields {...props} form={form} jsonProblem={problem} onChange={changeFields} />;
  const editor = <JsonEditor text={words} onChange={changeText} problem={problem} disabled={disabled} />;
  if (purpose === 'question')
    return form.ok ? (
      fields
    ) : (
      <>
        <p className="text-xs text-ink-faint">{`No form is available, because ${form.reason}.`}</p>
        {editor}
      </>
    );
  return (
    <Tabs.Root
      value={tab ?? (form.ok ? 'form' : 'json')}
      onValueChange={setTab}
      className="flex min-w-0 flex-col gap-3"
    >
      <Tabs.List
        aria-label="Input mode"
        className="inline-flex self-start rounded-md border border-line bg-sunken p-0.5"
      >
        <Mode value="form">Form</Mode>
        <Mode value="json">JSON</Mode>
      </Tabs.List>
      <Tabs.Content value="form">
        {form.ok ? (
          fields
        ) : (
          <Notice tone="info" title="No form is available for this schema">
            {`The reason: ${form.reason}. Write the arguments as JSON.`}
          </Notice>
        )}
      </Tabs.Content>
      <Tabs.Content value="json" className="flex flex-col gap-3">
        {!form.ok && (
          <p className="text-xs text-ink-faint">{`No form is available for this schema, because ${form.reason}.`}</p>
        )}
        {editor}
      </Tabs.Content>
    </Tabs.Root>
  );
}

interface FieldsProps extends SchemaFormProps {
  readonly form: Extract<FormSchemaResult, { ok: true }>;
  readonly jsonProblem: string | undefined;
}

function Fields({ form, jsonProblem, ...props }: FieldsProps) {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Spinner label="Loading the form …" />}>
        {jsonProblem !== undefined && (
          <Notice tone="warn" className="mb-3">
            {`The JSON is invalid (${jsonProblem}). The form shows the last valid values.`}
          </Notice>
        )}
        <GeneratedForm {...props} schema={form.schema} />
        {form.hasMore && (
          <p className="mt-3 text-xs text-ink-faint">
            The schema has more rules than the form shows. The gateway checks them.
          </p>
        )}
      </Suspense>
    </ErrorBoundary>
  );
}

function Mode({ value, children }: { readonly value: string; readonly children: ReactNode }) {
  return (
    <Tabs.Trigger
      value={value}
      className="rounded px-2.5 py-1 text-xs font-medium text-ink-soft hover:text-ink data-[state=active]:bg-surface data-[state=active]:text-ink data-[state=active]:shadow-xs"
    >
      {children}
    </Tabs.Trigger>
  );
}

export interface JsonEditorProps {
  readonly label?: string;
  readonly hint?: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly problem: string | undefined;
  readonly disabled?: boolean;
}

/** A JSON object as text, with its problem. */
export function JsonEditor({
  label = 'Arguments as JSON',
  hint,
  text: words,
  onChange,
  problem,
  disabled,
}: JsonEditorProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <TextArea
        aria-label={label}
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={[hint && `${id}-hint`, problem && id].filter(Boolean).join(' ') || undefined}
        value={words}
        disabled={disabled}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        className="field-sizing-content max-h-[60vh] min-h-40 font-mono text-xs"
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-ink-faint">
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p id={id} role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}
