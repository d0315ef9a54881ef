import { Braces, Rows3 } from 'lucide-react';
import { Button } from '../../../components/Button.tsx';
import { ArgumentRows } from './ArgumentRows.tsx';
import { ArgumentSchema } from './ArgumentSchema.tsx';
import { argumentsInPath } from './argument-table.ts';
import { type ArgumentsDraft, asJson, asRows, type EndpointDraft, hasBody } from './endpoint-draft.ts';

export interface EndpointArgumentsProps {
  readonly endpoint: EndpointDraft;
  /** What the gateway has against them. */
  readonly problem: string | undefined;
  readonly onChange: (takes: ArgumentsDraft) => void;
}

/** What an endpoint takes: a row for each argument, or a JSON Schema for those who want to say more. */
export function EndpointArguments({ endpoint, problem, onChange }: EndpointArgumentsProps) {
  const { takes, path, method } = endpoint;
  const inPath = argumentsInPath(path);
  const rows = asRows(endpoint);
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="sr-only">Arguments</legend>
      <div className="flex items-center justify-between gap-2">
        <span aria-hidden className="font-medium">
          Arguments
        </span>
        {takes.kind === 'rows' ? (
          <Button size="small" look="quiet" onClick={() => onChange(asJson(takes))}>
            <Braces aria-hidden />
            Edit as JSON Schema
          </Button>
        ) : (
          <Button size="small" look="quiet" disabled={!rows} onClick={() => rows && onChange(rows)}>
            <Rows3 aria-hidden />
            Edit in rows
          </Button>
        )}
      </div>
      {takes.kind === 'rows' ? (
        <ArgumentRows
          rows={takes.rows}
          inPath={inPath}
          choosesQuery={hasBody(method)}
          problem={problem}
          onChange={(next) => onChange({ ...takes, rows: next })}
        />
      ) : (
        <ArgumentSchema
          text={takes.text}
          query={takes.query}
          inPath={inPath}
          choosesQuery={hasBody(method)}
          saysMore={!rows}
          problem={problem}
          onChange={(part) => onChange({ ...takes, ...part })}
        />
      )}
    </fieldset>
  );
}
