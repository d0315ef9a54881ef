import { Braces, Rows3 } from 'lucide-react';
import { useId } from 'react';
import { Button } from '../../../components/Button.tsx';
import { Checkbox, TextArea } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { ArgumentRows } from './ArgumentRows.tsx';
import { argumentsInPath } from './argument-table.ts';
import {
  type ArgumentsDraft,
  asJson,
  asRows,
  type EndpointDraft,
  findSyntaxProblem,
  listNames,
  takesBody,
} from './endpoint-draft.ts';

export interface EndpointArgumentsProps {
  readonly endpoint: EndpointDraft;
  /** The problem that the gateway found. */
  readonly problem: string | undefined;
  readonly onChange: (args: ArgumentsDraft) => void;
}

/** The arguments of an endpoint as rows or as a JSON Schema. */
export function EndpointArguments({ endpoint, problem, onChange }: EndpointArgumentsProps) {
  const { args, path, method } = endpoint;
  const inPath = argumentsInPath(path);
  const rows = asRows(endpoint);
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="sr-only">Arguments</legend>
      <div className="flex items-center justify-between gap-2">
        <span aria-hidden className="font-medium">
          Arguments
        </span>
        {args.kind === 'rows' ? (
          <Button size="small" look="quiet" onClick={() => onChange(asJson(args))} icon={Braces}>
            Edit as JSON Schema
          </Button>
        ) : (
          <Button size="small" look="quiet" disabled={!rows} onClick={() => rows && onChange(rows)} icon={Rows3}>
            Edit as rows
          </Button>
        )}
      </div>
      {args.kind === 'rows' ? (
        <ArgumentRows
          rows={args.rows}
          inPath={inPath}
          hasBody={takesBody(method)}
          problem={problem}
          onChange={(next) => onChange({ ...args, rows: next })}
        />
      ) : (
        <ArgumentSchema
          text={args.text}
          query={args.query}
          inPath={inPath}
          hasBody={takesBody(method)}
          exceedsRows={!rows}
          problem={problem}
          onChange={(part) => onChange({ ...args, ...part })}
        />
      )}
    </fieldset>
  );
}

interface ArgumentSchemaProps {
  readonly text: string;
  readonly query: readonly string[];
  readonly inPath: readonly string[];
  readonly hasBody: boolean;
  /** Whether rows cannot express the schema. */
  readonly exceedsRows: boolean;
  readonly problem: string | undefined;
  readonly onChange: (part: { readonly text?: string; readonly query?: readonly string[] }) => void;
}

/** The arguments of an endpoint as the text of a JSON Schema. */
function ArgumentSchema(props: ArgumentSchemaProps) {
  const { text: words, query, inPath, hasBody, exceedsRows, onChange } = props;
  const id = useId();
  const syntaxProblem = findSyntaxProblem(words);
  const problem = syntaxProblem ?? props.problem;
  const free = hasBody ? listNames(words).filter((name) => !inPath.includes(name)) : [];
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <TextArea
        aria-label="JSON Schema of the arguments"
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? `${id}-hint` : `${id}-hint ${id}-problem`}
        className="field-sizing-content max-h-96 min-h-40! font-mono text-xs"
        spellCheck={false}
        autoComplete="off"
        value={words}
        onChange={(event) => onChange({ text: event.target.value })}
      />
      <p id={`${id}-hint`} className="text-xs text-ink-faint">
        {exceedsRows && syntaxProblem === undefined
          ? 'This schema is too complex for rows.'
          : 'Leave empty if the arguments in the path are the only ones.'}
      </p>
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
      {free.length > 0 && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <span>Sent in the query:</span>
          {free.map((name) => (
            <Checkbox
              key={name}
              label={<span className="font-mono break-all">{safeText(name, 100)}</span>}
              checked={query.includes(name)}
              onChange={(isIn) => onChange({ query: isIn ? [...query, name] : query.filter((item) => item !== name) })}
            />
          ))}
        </div>
      )}
    </div>
  );
}
