import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Call, Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { StatusBadge, type Tone } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { ContentView } from '../../components/ContentView.tsx';
import { isRecord } from '../../components/content/is-record.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { JsonView } from '../../components/JsonView.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { Duration, TimeAgo } from '../../components/times.tsx';

type Arguments = Readonly<Record<string, unknown>>;

export interface RunHistoryProps {
  readonly tool: Tool;
  readonly onRepeat: (args: Arguments) => void;
}

/** How a tool was used before, newest first: to look at, and to fill in again. */
export function RunHistory({ tool, onRepeat }: RunHistoryProps) {
  const calls = useQuery(queries.calls({ tool: tool.name, limit: 50 }));
  if (calls.isError) return <ErrorNotice error={calls.error} onRetry={() => void calls.refetch()} />;
  if (!calls.data) return <Spinner label="Loading …" />;
  if (calls.data.calls.length === 0) {
    return <EmptyState title="Not used yet">Every run of this tool will be here, with what came of it.</EmptyState>;
  }
  return (
    <div className="flex flex-col gap-2">
      <ul aria-label="Earlier runs" className="flex flex-col divide-y divide-line rounded-md border border-line">
        {calls.data.calls.map((call) => (
          <li key={call.id}>
            <PastRun call={call} onRepeat={onRepeat} />
          </li>
        ))}
      </ul>
      {calls.data.next !== undefined && (
        <p className="text-xs text-ink-faint">
          Older ones are on the page{' '}
          <Link href="/calls" className="text-accent-strong underline underline-offset-2">
            Calls
          </Link>
          .
        </p>
      )}
    </div>
  );
}

function PastRun({ call, onRepeat }: { readonly call: Call; readonly onRepeat: RunHistoryProps['onRepeat'] }) {
  const [open, setOpen] = useState(false);
  const [tone, words] = statusOf(call);
  return (
    <div className="flex flex-col gap-3 px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 text-left"
        >
          {open ? (
            <ChevronDown aria-hidden className="size-4 text-ink-faint" />
          ) : (
            <ChevronRight aria-hidden className="size-4 text-ink-faint" />
          )}
          <StatusBadge tone={tone} pulsing={call.completedAt === undefined}>
            {words}
          </StatusBadge>
          <code className="min-w-0 flex-1 truncate text-xs text-ink-soft">
            {safeText(JSON.stringify(call.arguments).slice(0, 200), 200)}
          </code>
          <span className="text-xs text-ink-faint">
            <Duration from={call.createdAt} to={call.completedAt} /> · <TimeAgo at={call.createdAt} />
          </span>
        </button>
        <Button size="small" onClick={() => onRepeat(call.arguments)}>
          Fill in again
        </Button>
      </div>
      {open && <PastResult id={call.id} />}
    </div>
  );
}

function PastResult({ id }: { readonly id: string }) {
  const call = useQuery(queries.call(id));
  if (call.isError) return <ErrorNotice error={call.error} onRetry={() => void call.refetch()} />;
  if (!call.data) return <Spinner label="Loading …" />;
  const { arguments: args, result, resultOmitted, error, server } = call.data;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <JsonView value={args} what="arguments" maxHeight="12rem" />
      {error && (
        <p className="break-words text-bad">
          <code>{safeText(error.code, 60)}</code> {safeText(error.message)}
        </p>
      )}
      {result && (
        <ContentView
          result={{
            isError: result.isError === true,
            content: Array.isArray(result.content) ? result.content.filter(isRecord) : [],
            ...(result.structuredContent !== undefined && { structuredContent: result.structuredContent }),
          }}
          callId={id}
          server={server}
        />
      )}
      {resultOmitted && <p className="text-ink-soft">Its result was too big to be kept.</p>}
      <Link
        href={`/calls/${encodeURIComponent(id)}`}
        className="self-start text-accent-strong underline underline-offset-2"
      >
        All about this call
      </Link>
    </div>
  );
}

const ends: Readonly<Record<string, string>> = {
  tool: 'The tool failed',
  denied: 'Denied',
  cancelled: 'Cancelled',
  timeout: 'Timed out',
  invalid: 'Invalid arguments',
  'unknown-outcome': 'Outcome unknown',
  failed: 'Failed',
};

function statusOf({ status, end }: Call): readonly [Tone, string] {
  if (status === 'success') return ['good', 'Done'];
  if (status === 'running') return ['info', 'Running'];
  if (status === 'pending') return ['neutral', 'Waiting'];
  return [end === 'unknown-outcome' ? 'warn' : 'bad', ends[end ?? 'failed'] ?? 'Failed'];
}
