import { Braces, Rows3 } from 'lucide-react';
import { Button } from '../../../components/Button.tsx';
import { ArgumentRows } from './ArgumentRows.tsx';
import { ArgumentSchema } from './ArgumentSchema.tsx';
import { argumentsInPath } from './argument-table.ts';
import { type ArgumentsDraft, asJson, asRows, type EndpointDraft, takesBody } from './endpoint-draft.ts';

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
          <Button size="small" look="quiet" onClick={() => onChange(asJson(args))}>
            <Braces aria-hidden />
            Edit as JSON Schema
          </Button>
        ) : (
          <Button size="small" look="quiet" disabled={!rows} onClick={() => rows && onChange(rows)}>
            <Rows3 aria-hidden />
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
