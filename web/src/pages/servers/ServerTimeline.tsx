import type { Server } from '../../api/client.ts';
import { TimeAgo } from '../../components/times.tsx';
import { NextTry } from './NextTry.tsx';

const states = {
  connected: 'Connected',
  degraded: 'Degraded',
  connecting: 'Began to connect',
  error: 'Failed',
  disconnected: 'Disconnected',
} as const;

/** What happened to a server and when, as far as it is known; oldest first. */
export function ServerTimeline({ server }: { readonly server: Server }) {
  const { record, status } = server;
  const moments: [string, string | undefined][] = [
    ['Added', record?.createdAt],
    ['Settings changed', record?.updatedAt === record?.createdAt ? undefined : record?.updatedAt],
    ['Connected last', status.state === 'connected' ? undefined : (status.lastConnectedAt ?? record?.lastConnectedAt)],
    [
      status.failures > 1 ? `${states[status.state]}, ${status.failures} tries in a row` : states[status.state],
      status.since,
    ],
  ];
  const known = moments.filter((moment): moment is [string, string] => moment[1] !== undefined);
  return (
    <ol className="ml-1 flex flex-col gap-2 border-l border-line pl-4">
      {known
        .sort(([, a], [, b]) => Date.parse(a) - Date.parse(b))
        .map(([what, at]) => (
          <li key={what} className="relative">
            <Dot />
            {what} <span className="text-ink-faint">·</span> <TimeAgo at={at} />{' '}
            <span className="text-xs text-ink-faint">({new Date(at).toLocaleString()})</span>
          </li>
        ))}
      {status.nextTryAt !== undefined && (
        <li className="relative text-ink-soft">
          <Dot />
          <NextTry at={status.nextTryAt} />
        </li>
      )}
    </ol>
  );
}

function Dot() {
  return <span aria-hidden className="absolute top-1.5 -left-[1.28rem] size-2 rounded-full bg-line-strong" />;
}
