import { Braces, Rows3, X } from 'lucide-react';
import { type RefObject, useRef } from 'react';
import { Button, IconButton } from '../../../components/Button.tsx';
import { Checkbox, Input, Select } from '../../../components/fields.tsx';
import { JsonEditor } from '../../../components/SchemaForm.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { formatNumber } from '../../../text/formats.ts';
import { focusOnce } from '../form-lines.ts';
import { AddButton } from '../LineList.tsx';
import { type ArgumentRow, type ArgumentType, argumentsInPath, newRow } from './argument-table.ts';
import {
  type ArgumentsDraft,
  asJson,
  asRows,
  type EndpointDraft,
  findSyntaxProblem,
  listNames,
  rowProblems,
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
  const syntaxProblem = findSyntaxProblem(words);
  const problem = syntaxProblem ?? props.problem;
  const free = hasBody ? listNames(words).filter((name) => !inPath.includes(name)) : [];
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <JsonEditor
        label="JSON Schema of the arguments"
        hint={
          exceedsRows && syntaxProblem === undefined
            ? 'This schema is too complex for rows.'
            : 'Leave empty if the arguments in the path are the only ones.'
        }
        text={words}
        problem={problem}
        onChange={(next) => onChange({ text: next })}
      />
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

interface ArgumentRowsProps {
  readonly rows: readonly ArgumentRow[];
  readonly inPath: readonly string[];
  /** Whether an argument can go into the query or the body. */
  readonly hasBody: boolean;
  readonly problem: string | undefined;
  readonly onChange: (rows: readonly ArgumentRow[]) => void;
}

/** The arguments of an endpoint as rows. */
function ArgumentRows({ rows, inPath, hasBody, problem, onChange }: ArgumentRowsProps) {
  const added = useRef<number>(undefined);
  const problems = rowProblems(rows);

  function add(): void {
    const row = newRow();
    added.current = row.id;
    onChange([...rows, row]);
  }

  return (
    <>
      {rows.length > 0 && (
        <ul className="flex min-w-0 flex-col gap-1.5">
          {rows.map((row, at) => (
            <ArgumentLine
              key={row.id}
              row={row}
              number={at + 1}
              isInPath={inPath.includes(row.name)}
              hasBody={hasBody}
              problem={problems.get(row.id)}
              added={added}
              onChange={(next) => onChange(rows.map((item) => (item.id === next.id ? next : item)))}
              onRemove={() => onChange(rows.filter(({ id }) => id !== row.id))}
            />
          ))}
        </ul>
      )}
      {problem !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
      <AddButton
        noun="argument"
        hint={
          hasBody
            ? 'Sent as JSON in the body, except those in the path or the query.'
            : 'Sent in the query, except those in the path.'
        }
        onAdd={add}
      />
    </>
  );
}

interface ArgumentLineProps {
  readonly row: ArgumentRow;
  readonly number: number;
  /** Whether the path contains it: then it is required and cannot be renamed or removed. */
  readonly isInPath: boolean;
  readonly hasBody: boolean;
  readonly problem: string | undefined;
  readonly added: RefObject<number | undefined>;
  readonly onChange: (row: ArgumentRow) => void;
  readonly onRemove: () => void;
}

const types: readonly (readonly [ArgumentType, string])[] = [
  ['text', 'Text'],
  ['number', 'Number'],
  ['integer', 'Whole number'],
  ['boolean', 'Boolean'],
  ['texts', 'List of texts'],
  ['any', 'JSON'],
];

function ArgumentLine(props: ArgumentLineProps) {
  const { row, number, isInPath, hasBody, problem, added, onChange, onRemove } = props;
  const change = (part: Partial<ArgumentRow>) => onChange({ ...row, ...part });
  const label = row.name === '' ? `argument ${formatNumber(number)}` : row.name;
  const problemId = `argument-${row.id}-problem`;
  const described = problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': problemId };
  return (
    <li className="flex min-w-0 flex-col gap-1.5 rounded-md bg-sunken p-2">
      <div className="flex flex-wrap items-center gap-1.5">
        <Input
          aria-label={`Name of argument ${formatNumber(number)}`}
          placeholder="Name"
          className="min-w-0 flex-1 font-mono read-only:bg-transparent read-only:text-ink-soft"
          spellCheck={false}
          autoComplete="off"
          readOnly={isInPath}
          ref={(input) => focusOnce(input, row.id, added)}
          value={row.name}
          onChange={(event) => change({ name: event.target.value })}
          {...described}
        />
        <Select
          aria-label={`Type of ${label}`}
          className="max-sm:order-last sm:w-40!"
          value={row.type}
          onChange={(event) => change({ type: event.target.value as ArgumentType })}
        >
          {types.map(([type, name]) => (
            <option key={type} value={type}>
              {name}
            </option>
          ))}
        </Select>
        {isInPath ? (
          <span aria-hidden className="size-9" />
        ) : (
          <IconButton label={`Remove ${label}`} onClick={onRemove} icon={X} />
        )}
      </div>
      {problem !== undefined && (
        <p id={problemId} className="text-xs text-bad">
          {problem}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <Input
          aria-label={`Description of ${label}`}
          placeholder="Description for the model"
          className="min-w-0 flex-1 basis-48"
          autoComplete="off"
          value={row.description}
          onChange={(event) => change({ description: event.target.value })}
        />
        <Checkbox
          label={<ArgumentLabel text="Required" argument={label} />}
          checked={isInPath || row.isRequired}
          disabled={isInPath}
          onChange={(isRequired) => change({ isRequired })}
        />
        {isInPath && <span className="text-ink-soft">In the path</span>}
        {hasBody && !isInPath && (
          <Checkbox
            label={<ArgumentLabel text="In the query" argument={label} />}
            checked={row.isInQuery}
            onChange={(isInQuery) => change({ isInQuery })}
          />
        )}
      </div>
    </li>
  );
}

/** A label that names its argument for screen readers. */
function ArgumentLabel({ text, argument }: { readonly text: string; readonly argument: string }) {
  return (
    <>
      {text} <span className="sr-only">({argument})</span>
    </>
  );
}
