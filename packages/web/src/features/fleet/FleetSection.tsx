import { useQuery } from '@tanstack/react-query';
import type { Replica } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { fleetQueries } from './queries.ts';

/** The replicas that share the database: version, configuration and load. */
export default function FleetSection() {
  const fleet = useQuery({ ...fleetQueries.fleet(), refetchInterval: 2_000 });
  // Commands that use the database for a moment are not replicas.
  const replicas = fleet.data?.replicas.filter(({ version }) => version !== undefined) ?? [];
  const configs = new Set(replicas.map(({ config }) => config));
  return (
    <Card>
      <CardHeader
        title={plural(replicas.length, 'replica')}
        hint={
          fleet.data?.revision === undefined
            ? 'The gateways that share the database.'
            : `The gateways that share the database. The stored configuration has revision ${formatNumber(fleet.data.revision)}.`
        }
      />
      <QueryState query={fleet} what="replicas" className="p-4" />
      {configs.size > 1 && (
        <div className="p-4 pb-1">
          <Notice tone="warn">
            The replicas use different configuration files. Give all of them the same file, so that clients get the same
            answers.
          </Notice>
        </div>
      )}
      <ul aria-label="replicas" className="divide-y divide-line">
        {replicas.map((replica) => (
          <ReplicaRow key={replica.id} replica={replica} hasOwnConfig={configs.size > 1} />
        ))}
      </ul>
    </Card>
  );
}

function ReplicaRow({ replica, hasOwnConfig }: { readonly replica: Replica; readonly hasOwnConfig: boolean }) {
  const { id, pid, host, self, version = '', startedAt, config = '', revision, lag = 0 } = replica;
  const { running = 0, queued = 0, servers = [] } = replica;
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-1.5">
          <span className="mr-1 font-semibold break-words">{`Process ${pid} on ${safeText(host, 100)}`}</span>
          {self && <Badge tone="accent">Answered this request</Badge>}
          {lag > 0 && <Badge tone="warn">{`${plural(lag, 'change')} behind`}</Badge>}
          {hasOwnConfig && <Badge tone="warn">{`Configuration file ${safeText(config, 20)}`}</Badge>}
        </p>
        {servers.length > 0 && <p className="text-sm break-words">{`Runs ${safeText(servers.join(', '), 200)}`}</p>}
        <p className="text-xs break-words text-ink-soft">
          {`Version ${safeText(version, 40)}`}
          {startedAt !== undefined && (
            <>
              {' '}
              · started <TimeAgo at={startedAt} />
            </>
          )}
          {' · '}
          <code title={id}>{id.slice(0, 8)}</code>
        </p>
      </div>
      <dl className="flex gap-6 text-sm">
        <Figure name="Running" value={running} />
        <Figure name="Queued" value={queued} />
        {revision !== undefined && <Figure name="Revision" value={revision} />}
      </dl>
    </li>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div>
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className="font-semibold tabular-nums">{formatNumber(value)}</dd>
    </div>
  );
}
