import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { Call, Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { JsonView } from '../../components/JsonView.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { useToast } from '../../components/Toasts.tsx';
import { Duration, TimeAgo } from '../../components/times.tsx';
import { CallOutcome } from '../calls/CallOutcome.tsx';
import { CallStatus } from '../calls/CallStatus.tsx';

type Arguments = Readonly<Record<string, unknown>>;

export interface RunHistoryProps {
  readonly tool: Tool;
  readonly onReuse: (args: Arguments) => void;
}

/** The recent calls of a tool, newest first, each with a button to use its arguments again. */
export function RunHistory({ tool, onReuse }: RunHistoryProps) {
  const calls = useQuery(queries.calls({ tool: tool.name, limit: 50 }));
  if (!calls.data) return <QueryState query={calls} what="calls" />;
  if (calls.data.calls.length === 0) {
    return <EmptyState title="No calls yet">Run the tool to see its calls and their results here.</EmptyState>;
  }
  return (
    <div className="flex flex-col gap-2">
      <ul aria-label="Recent calls" className="flex flex-col divide-y divide-line rounded-md border border-line">
        {calls.data.calls.map((call) => (
          <li key={call.id}>
            <RecentCall call={call} onReuse={onReuse} />
          </li>
        ))}
      </ul>
      {calls.data.next !== undefined && (
        <p className="text-xs text-ink-faint">
          <TextLink href="/calls">Show older calls</TextLink>
        </p>
      )}
    </div>
  );
}

function RecentCall({ call, onReuse }: { readonly call: Call; readonly onReuse: RunHistoryProps['onReuse'] }) {
  const [open, setOpen] = useState(false);
  const client = useQueryClient();
  const toast = useToast();
  const reuse = async () => {
    if (!call.isPreview) return onReuse(call.arguments);
    try {
      onReuse((await client.fetchQuery(queries.call(call.id))).arguments);
    } catch {
      toast('The arguments could not be loaded. Try again.');
    }
  };
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
          <CallStatus call={call} />
          <code className="min-w-0 flex-1 truncate text-xs text-ink-soft">
            {safeText(JSON.stringify(call.arguments).slice(0, 200), 200)}
          </code>
          <span className="text-xs text-ink-faint">
            <Duration from={call.createdAt} to={call.completedAt} /> · <TimeAgo at={call.createdAt} />
          </span>
        </button>
        <Button size="small" onClick={() => void reuse()}>
          Use arguments
        </Button>
      </div>
      {open && <RecordedOutcome id={call.id} />}
    </div>
  );
}

function RecordedOutcome({ id }: { readonly id: string }) {
  const call = useQuery(queries.call(id));
  if (!call.data) return <QueryState query={call} what="call" />;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <JsonView value={call.data.arguments} what="arguments" maxHeight="12rem" />
      <CallOutcome call={call.data} />
      <TextLink href={`/calls/${encodeURIComponent(id)}`} className="self-start">
        Open call
      </TextLink>
    </div>
  );
}
