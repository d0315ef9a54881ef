import type { Server } from '../../api/client.ts';
import { TimeAgo } from '../../components/times.tsx';
import { NextAttempt } from './ServerTrouble.tsx';

const states = {
  connected: 'Connected',
  degraded: 'Degraded',
  connecting: 'Connecting',
  error: 'Failed',
  disconnected: 'Disconnected',
} as const;

/** The known events of a server, oldest first. */
export function ServerTimeline({ server }: { readonly server: Server }) {
  const { record, status } = server;
  const events: [string, string | undefined][] = [
    ['Added', record?.createdAt],
    ['Settings changed', record?.updatedAt === record?.createdAt ? undefined : record?.updatedAt],
    ['Last connected', status.state === 'connected' ? undefined : (status.lastConnectedAt ?? record?.lastConnectedAt)],
    [
      status.failures > 1
        ? `${states[status.state]}, ${status.failures} failed attempts in a row`
        : states[status.state],
      status.since,
    ],
  ];
  const known = events.filter((event): event is [string, string] => event[1] !== undefined);
  return (
    <ol className="ml-1 flex flex-col gap-2 border-l border-line pl-4">
      {known
        .sort(([, a], [, b]) => Date.parse(a) - Date.parse(b))
        .map(([event, at]) => (
          <li key={event} className="relative">
            <Dot />
            {event} <span className="text-ink-faint">·</span> <TimeAgo at={at} />{' '}
            <span className="text-xs text-ink-faint">({new Date(at).toLocaleString()})</span>
          </li>
        ))}
      {status.nextTryAt !== undefined && (
        <li className="relative text-ink-soft">
          <Dot />
          <NextAttempt at={status.nextTryAt} />
        </li>
      )}
    </ol>
  );
}

function Dot() {
  return <span aria-hidden className="absolute top-1.5 -left-[1.28rem] size-2 rounded-full bg-line-strong" />;
}
