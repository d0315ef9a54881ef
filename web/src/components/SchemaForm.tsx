import { Tabs } from 'radix-ui';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Notice } from './ErrorNotice.tsx';
import { Spinner } from './Spinner.tsx';
import { JsonEditor } from './schema-form/JsonEditor.tsx';
import { readArguments } from './schema-form/read-arguments.ts';
import { toFormSchema } from './schema-form/to-form-schema.ts';

const GeneratedForm = lazy(() => import('./schema-form/GeneratedForm.tsx'));

export interface SchemaFormProps {
  /** JSON Schema of an object, from a stranger. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void;
  readonly disabled?: boolean;
  /** What is wrong with single values, by JSON pointer; shown at the fields. */
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
  /** Told what is wrong with the JSON text, and undefined when it is right again. Meanwhile the value stays as it was. */
  readonly onProblem?: (problem: string | undefined) => void;
}

const noProblems: readonly never[] = [];

/** A form for an object, made from its JSON Schema, and its JSON as the other way to write it: both always say the same. */
export function SchemaForm({
  schema,
  value,
  onChange,
  disabled = false,
  problems = noProblems,
  onProblem,
}: SchemaFormProps) {
  const form = useMemo(() => toFormSchema(schema), [schema]);
  const [tab, setTab] = useState<string>();
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState<string>();
  const [seen, setSeen] = useState(value);
  const told = useRef(value);
  if (seen !== value) {
    setSeen(value);
    // What was told comes back, and must not change the text under the cursor.
    if (JSON.stringify(value) !== JSON.stringify(told.current)) {
      setText(JSON.stringify(value, null, 2));
      setProblem(undefined);
    }
  }

  const hear = useRef(onProblem);
  hear.current = onProblem;
  useEffect(() => hear.current?.(problem), [problem]);

  function tell(next: Readonly<Record<string, unknown>>): void {
    told.current = next;
    onChange(next);
  }

  function writeText(next: string): void {
    setText(next);
    const read = readArguments(next);
    setProblem(read.ok ? undefined : read.problem);
    if (read.ok) tell(read.value);
  }

  function fillIn(next: Readonly<Record<string, unknown>>): void {
    setText(JSON.stringify(next, null, 2));
    setProblem(undefined);
    tell(next);
  }

  return (
    <Tabs.Root
      value={tab ?? (form.ok ? 'form' : 'json')}
      onValueChange={setTab}
      className="flex min-w-0 flex-col gap-3"
    >
      <Tabs.List
        aria-label="How to fill in the arguments"
        className="inline-flex self-start rounded-md border border-line bg-sunken p-0.5"
      >
        <Choice value="form">Form</Choice>
        <Choice value="json">JSON</Choice>
      </Tabs.List>
      <Tabs.Content value="form">
        {form.ok ? (
          <ErrorBoundary>
            <Suspense fallback={<Spinner label="Loading the form …" />}>
              {problem !== undefined && (
                <Notice tone="warn" className="mb-3">
                  The JSON has a mistake ({problem}). The form shows what was right last.
                </Notice>
              )}
              <GeneratedForm
                schema={form.schema}
                value={value}
                onChange={fillIn}
                disabled={disabled}
                problems={problems}
              />
              {form.hasMore && (
                <p className="mt-3 text-xs text-ink-faint">
                  The schema has rules that the form does not show. They are checked when it runs.
                </p>
              )}
            </Suspense>
          </ErrorBoundary>
        ) : (
          <Notice tone="info" title="There is no form for this schema">
            Because {form.reason}. Write the arguments as JSON.
          </Notice>
        )}
      </Tabs.Content>
      <Tabs.Content value="json" className="flex flex-col gap-3">
        {!form.ok && <p className="text-xs text-ink-faint">There is no form for this schema, because {form.reason}.</p>}
        <JsonEditor text={text} onChange={writeText} problem={problem} disabled={disabled} />
      </Tabs.Content>
    </Tabs.Root>
  );
}

function Choice({ value, children }: { readonly value: string; readonly children: ReactNode }) {
  return (
    <Tabs.Trigger
      value={value}
      className="rounded px-2.5 py-1 text-xs font-medium text-ink-soft hover:text-ink data-[state=active]:bg-surface data-[state=active]:text-ink data-[state=active]:shadow-xs"
    >
      {children}
    </Tabs.Trigger>
  );
}
