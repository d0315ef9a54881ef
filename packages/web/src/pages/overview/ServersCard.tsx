import { useQuery } from '@tanstack/react-query';
import { Plus, Server as ServerIcon } from 'lucide-react';
import { Link } from 'wouter';
import type { Server } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { ServerStatus } from '../../components/ServerStatus.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { serverAddress } from '../servers/server-address.ts';

const maxShown = 10;
const order: readonly Server['status']['state'][] = [
  'error',
  'degraded',
  'connecting',
  'disconnected',
  'connected',
  'sleeping',
];

/** The servers. Broken ones come first, with the reason. */
export function ServersCard() {
  const servers = useQuery(queries.servers());
  const sorted = [...(servers.data ?? [])].sort((a, b) => sortRank(a) - sortRank(b) || a.name.localeCompare(b.name));
  return (
    <Card aria-label="Servers">
      <CardHeader
        title="Servers"
        actions={
          <ButtonLink size="small" look="quiet" href="/servers">
            {sorted.length > maxShown ? `Show all ${formatNumber(sorted.length)}` : 'Manage'}
          </ButtonLink>
        }
      />
      <QueryState query={servers} what="servers" className="p-4" />
      {servers.data?.length === 0 && (
        <EmptyState
          icon={ServerIcon}
          title="No servers yet"
          actions={
            <ButtonLink look="primary" href="/servers?add" icon={Plus}>
              Add a server
            </ButtonLink>
          }
        >
          Servers provide the tools. Add one to get started.
        </EmptyState>
      )}
      {sorted.length > 0 && (
        <ul className="divide-y divide-line">
          {sorted.slice(0, maxShown).map((server) => (
            <Row key={server.id} server={server} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Row({ server: { name, enabled, status, offers } }: { readonly server: Server }) {
  const isBroken = enabled && (status.state === 'error' || status.state === 'degraded');
  const tools = offers.tools?.count;
  return (
    <li className="px-4 py-2">
      <div className="flex items-center gap-3">
        <Link href={serverAddress(name)} className="min-w-0 flex-1 truncate font-medium hover:underline">
          {safeText(name, 100)}
        </Link>
        {tools !== undefined && (
          <span className="shrink-0 text-xs text-ink-soft tabular-nums">{plural(tools, 'tool')}</span>
        )}
        <ServerStatus status={status} enabled={enabled} />
      </div>
      {isBroken && status.reason !== undefined && (
        <p className="mt-0.5 line-clamp-3 text-xs break-words text-ink-soft">{safeText(status.reason, 500)}</p>
      )}
    </li>
  );
}

function sortRank({ enabled, status }: Server): number {
  if (!enabled) return order.length;
  // A server that is retrying stays among the broken ones.
  return status.state === 'connecting' && status.failures > 0 ? 0 : order.indexOf(status.state);
}
