import { useId, useMemo, useRef, useState } from 'react';
import { FormField } from './FormField.tsx';
import { type FormProblem, findProblems } from './find-problems.ts';
import { FormContext, type FormSettings } from './form-context.ts';
import type { FormSchema } from './form-schema.ts';
import { omitEmpty } from './form-values.ts';

type Values = Readonly<Record<string, unknown>>;

export interface GeneratedFormProps {
  readonly schema: FormSchema;
  readonly value: Values;
  /** Receives the entered values; empty fields are omitted. */
  readonly onChange: (value: Values) => void;
  readonly disabled?: boolean;
  /** The problems that the gateway reported. */
  readonly problems?: readonly FormProblem[];
  readonly purpose?: FormSettings['purpose'];
}

const noProblems: readonly never[] = [];

/** The fields of a form; loaded with the schema checker when a form is first shown. */
export default function GeneratedForm(props: GeneratedFormProps) {
  const { schema, value, onChange, disabled = false, problems = noProblems, purpose = 'arguments' } = props;
  const idPrefix = useId();
  // The draft has the fields that are still empty; the reported value does not.
  const [draft, setDraft] = useState<unknown>(value);
  const [found, setFound] = useState<readonly FormProblem[]>([]);
  const [seen, setSeen] = useState(value);
  const [revision, setRevision] = useState(0);
  const reported = useRef(value);
  if (seen !== value) {
    setSeen(value);
    if (JSON.stringify(value) !== JSON.stringify(reported.current)) {
      setDraft(value);
      setFound([]);
      setRevision(revision + 1);
    }
  }
  const settings = useMemo(() => {
    const byPath = Map.groupBy([...found, ...problems], ({ path }) => path);
    const messages = new Map([...byPath].map(([path, group]) => [path, group.map(({ message }) => message)]));
    return { root: schema, idPrefix, disabled, purpose, problems: messages };
  }, [schema, idPrefix, disabled, purpose, found, problems]);

  function change(next: unknown): void {
    setDraft(next);
    // While typing, problems only go away; new ones are shown when the field is left.
    const shown = new Set(found.map(({ path }) => path));
    if (shown.size > 0) setFound(findProblems(schema, next).filter(({ path }) => shown.has(path)));
    const filled = omitEmpty(next ?? {}, schema, schema) as Values;
    reported.current = filled;
    onChange(filled);
  }

  return (
    <FormContext value={settings}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: listens to the fields inside */}
      <div onBlur={() => setFound(findProblems(schema, draft))}>
        <FormField
          key={revision}
          schema={schema}
          path={[]}
          label="arguments"
          required
          value={draft}
          onChange={change}
        />
      </div>
    </FormContext>
  );
}
