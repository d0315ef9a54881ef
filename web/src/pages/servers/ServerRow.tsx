import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Server } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Switch } from '../../components/fields.tsx';
import { ServerStatus } from '../../components/ServerStatus.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatDuration, TimeAgo } from '../../components/times.tsx';
import { ServerMenu } from './ServerMenu.tsx';
import { ServerTrouble } from './ServerTrouble.tsx';
import { serverAddress } from './server-address.ts';
import { countOf, offersOf, protocolOf, transportOf } from './server-words.ts';
import { useServerAction } from './use-server-action.ts';

export interface ServerRowProps {
  readonly server: Server;
  readonly isAdmin: boolean;
  /** How many of its tools are not as they were accepted. */
  readonly changed: number;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

/** One server in the list: how it is doing, what it has, and what can be done with it. */
export function ServerRow({ server, isAdmin, changed, onEdit, onRemove }: ServerRowProps) {
  const { name, description, place, status, offers, enabled, source } = server;
  const action = useServerAction(name);
  const shownName = safeText(name, 100);
  const isStale = Object.values(offers).some((list) => list?.stale);
  const rejected = offers.tools?.rejected.length ?? 0;
  const isUp = status.state === 'connected' || status.state === 'degraded';
  const isSwitching = action.running === 'enable' || action.running === 'disable';
  return (
    <article aria-label={shownName} className="flex flex-col gap-2 px-4 py-3">
      <div className="flex items-start gap-3">
        <div className="flex min-w-0 flex-1 flex-col gap-0.5">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h2 className="text-sm break-all">
              <Link href={serverAddress(name)} className="hover:underline">
                {shownName}
              </Link>
            </h2>
            <ServerStatus status={status} enabled={enabled} />
            {source === 'file' && <Badge>From the configuration</Badge>}
            {changed > 0 && (
              <Link href={`${serverAddress(name)}?tab=changes`}>
                <Badge tone="warn">{countOf(changed, 'changed tool')}</Badge>
              </Link>
            )}
            {isUp && isStale && <Badge tone="warn">Lists may be out of date</Badge>}
            {rejected > 0 && <Badge tone="warn">{countOf(rejected, 'tool')} left out</Badge>}
          </div>
          {description !== undefined && description !== '' && (
            <p className="line-clamp-2 break-words text-ink-soft">{safeText(description, 300)}</p>
          )}
          <Facts>
            {isUp && <span>{offersOf(offers)}</span>}
            {!isUp && isStale && <span>{offersOf(offers)} as last known</span>}
            <span>{protocolOf(status) || transportOf(server.transport)}</span>
            {isUp && status.connectMs !== undefined && <span>{formatDuration(status.connectMs)} to connect</span>}
            {enabled && (
              <span>
                {sinceWords[status.state]} <TimeAgo at={status.since} />
              </span>
            )}
          </Facts>
          {place !== undefined && (
            <p title={safeText(place, 500)} className="truncate font-mono text-xs text-ink-faint">
              {safeText(place, 300)}
            </p>
          )}
        </div>
        {isAdmin && (
          <div className="-mt-1.5 -mr-1.5 flex shrink-0 items-center gap-1">
            {source === 'store' && (
              <Switch
                className="items-center"
                label={<span className="sr-only">Enabled: {shownName}</span>}
                checked={action.running === 'enable' || (enabled && action.running !== 'disable')}
                disabled={isSwitching}
                onChange={(on) => action.run(on ? 'enable' : 'disable')}
              />
            )}
            <ServerMenu server={server} action={action} onEdit={onEdit} onRemove={onRemove} />
          </div>
        )}
      </div>
      <ServerTrouble server={server} action={isAdmin ? action : undefined} />
    </article>
  );
}

const sinceWords = {
  connected: 'connected',
  degraded: 'degraded',
  connecting: 'connecting since',
  error: 'failed',
  disconnected: 'disconnected',
} as const;

/** Facts in a row with dots between them; a line never begins with one. */
function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <div className="overflow-hidden text-xs text-ink-soft">
      <div className="-ml-3.5 flex flex-wrap [&>*]:relative [&>*]:pl-3.5 [&>*]:before:absolute [&>*]:before:left-1.5 [&>*]:before:text-ink-faint [&>*]:before:content-['·']">
        {children}
      </div>
    </div>
  );
}
