import { Plus } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../../components/Button.tsx';
import { ArgumentLine } from './ArgumentLine.tsx';
import { type ArgumentRow, newRow } from './argument-table.ts';
import { rowProblems } from './endpoint-draft.ts';

export interface ArgumentRowsProps {
  readonly rows: readonly ArgumentRow[];
  readonly inPath: readonly string[];
  /** Whether an argument may go into the query or into the body. */
  readonly choosesQuery: boolean;
  readonly problem: string | undefined;
  readonly onChange: (rows: readonly ArgumentRow[]) => void;
}

/** The arguments of an endpoint, one below the other. */
export function ArgumentRows({ rows, inPath, choosesQuery, problem, onChange }: ArgumentRowsProps) {
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
              choosesQuery={choosesQuery}
              problem={problems.get(row.id)}
              added={added}
              onChange={(next) => onChange(rows.map((one) => (one.id === next.id ? next : one)))}
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
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button size="small" onClick={add}>
          <Plus aria-hidden />
          Add argument
        </Button>
        <p className="min-w-0 flex-1 text-xs text-ink-faint">
          {choosesQuery
            ? 'Sent as JSON in the body, unless the path or the query has them.'
            : 'Sent in the query, unless the path has them.'}
        </p>
      </div>
    </>
  );
}
