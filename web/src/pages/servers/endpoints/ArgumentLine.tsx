import { X } from 'lucide-react';
import type { RefObject } from 'react';
import { IconButton } from '../../../components/Button.tsx';
import { Checkbox, Input, Select } from '../../../components/fields.tsx';
import { focusOnce } from '../focus-once.ts';
import type { ArgumentRow, ArgumentType } from './argument-table.ts';

export interface ArgumentLineProps {
  readonly row: ArgumentRow;
  readonly number: number;
  /** The path has it: it stays, under its name, and is required. */
  readonly isInPath: boolean;
  readonly choosesQuery: boolean;
  readonly problem: string | undefined;
  readonly added: RefObject<number | undefined>;
  readonly onChange: (row: ArgumentRow) => void;
  readonly onRemove: () => void;
}

const types: readonly (readonly [ArgumentType, string])[] = [
  ['text', 'Text'],
  ['number', 'Number'],
  ['integer', 'Whole number'],
  ['boolean', 'Yes or no'],
  ['texts', 'List of texts'],
  ['any', 'JSON'],
];

/** One argument of an endpoint. */
export function ArgumentLine(props: ArgumentLineProps) {
  const { row, number, isInPath, choosesQuery, problem, added, onChange, onRemove } = props;
  const change = (part: Partial<ArgumentRow>) => onChange({ ...row, ...part });
  const what = row.name === '' ? `argument ${number}` : row.name;
  const problemId = `argument-${row.id}-problem`;
  const described = problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': problemId };
  return (
    <li className="flex min-w-0 flex-col gap-1.5 rounded-md bg-sunken p-2">
      <div className="flex flex-wrap items-center gap-1.5">
        <Input
          aria-label={`Name of argument ${number}`}
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
          aria-label={`Type of ${what}`}
          className="max-sm:order-last sm:w-40!"
          value={row.type}
          onChange={(event) => change({ type: event.target.value as ArgumentType })}
        >
          {types.map(([type, label]) => (
            <option key={type} value={type}>
              {label}
            </option>
          ))}
        </Select>
        {isInPath ? (
          <span aria-hidden className="size-9" />
        ) : (
          <IconButton label={`Remove ${what}`} onClick={onRemove}>
            <X aria-hidden />
          </IconButton>
        )}
      </div>
      {problem !== undefined && (
        <p id={problemId} className="text-xs text-bad">
          {problem}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <Input
          aria-label={`Description of ${what}`}
          placeholder="What it is, for the model"
          className="min-w-0 flex-1 basis-48"
          autoComplete="off"
          value={row.description}
          onChange={(event) => change({ description: event.target.value })}
        />
        <Checkbox
          label={<Labelled text="Required" what={what} />}
          checked={isInPath || row.isRequired}
          disabled={isInPath}
          onChange={(isRequired) => change({ isRequired })}
        />
        {isInPath && <span className="text-ink-soft">In the path</span>}
        {choosesQuery && !isInPath && (
          <Checkbox
            label={<Labelled text="In the query" what={what} />}
            checked={row.isInQuery}
            onChange={(isInQuery) => change({ isInQuery })}
          />
        )}
      </div>
    </li>
  );
}

/** A label that says of what it is, for those who do not see where it stands. */
function Labelled({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <>
      {text} <span className="sr-only">({what})</span>
    </>
  );
}
