import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { queries } from '../../api/queries.ts';
import { Card, CardHeader } from '../../components/Card.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import { Duration } from '../../components/times.tsx';

export interface RunningCallsProps {
  readonly running: number | undefined;
  readonly queued: number | undefined;
}

const maxShown = 6;

/** The calls that are running now. */
export function RunningCalls({ running, queued }: RunningCallsProps) {
  const calls = useQuery(queries.calls({ status: 'running', limit: maxShown }));
  const shown = calls.data?.calls ?? [];
  return (
    <Card aria-label="Running now">
      <CardHeader
        title="Running now"
        actions={
          running !== undefined && (
            <span className="text-xs text-ink-soft tabular-nums">
              {running} running{queued !== undefined && queued > 0 && `, ${queued} queued`}
            </span>
          )
        }
      />
      {calls.isError && (
        <div className="p-4">
          <ErrorNotice error={calls.error} onRetry={() => void calls.refetch()} />
        </div>
      )}
      {calls.data && shown.length === 0 && <p className="px-4 py-3 text-ink-soft">No calls are running.</p>}
      {shown.length > 0 && (
        <ul className="divide-y divide-line">
          {shown.map(({ id, tool, caller, startedAt, createdAt }) => (
            <li key={id} className="flex items-center gap-3 px-4 py-2">
              <Link href={`/calls/${id}`} className="min-w-0 flex-1 truncate font-mono text-xs hover:underline">
                {safeText(tool, 150)}
              </Link>
              <span className="max-w-32 truncate text-xs text-ink-soft">{safeText(caller.name ?? caller.id, 80)}</span>
              <span className="text-xs">
                <Duration from={startedAt ?? createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {calls.data?.next !== undefined && (
        <p className="border-t border-line px-4 py-2 text-xs">
          <Link href="/calls" className="underline underline-offset-2">
            Show all calls
          </Link>
        </p>
      )}
    </Card>
  );
}
