import { useQuery } from '@tanstack/react-query';
import { ClipboardPaste, Ellipsis, ListChecks, PackageSearch, Plus, Server as ServerIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { takesCalls } from '../../../../contract/connections.ts';
import type { Server } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button, ButtonLink, IconButton } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { SearchInput, Select, Switch } from '../../components/fields.tsx';
import { Menu } from '../../components/Menu.tsx';
import { ServerStatus, states } from '../../components/ServerStatus.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';
import { WindowList } from '../../components/WindowList.tsx';
import { formatDuration, formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { ServerTrouble } from './ServerTrouble.tsx';
import { serverAddress } from './server-address.ts';
import { groupOf, serverGroups } from './server-groups.ts';
import { describeOffers, describeProtocol, transportLabels } from './server-labels.ts';
import { useBulkServerAction } from './use-bulk-server-action.ts';
import { listServerActions, type ServerAction, useServerAction } from './use-server-action.ts';

export interface ServerListProps {
  readonly servers: readonly Server[];
  readonly mayEdit: boolean;
  readonly onAdd: () => void;
  readonly onImport: () => void;
  /** Finds published servers. */
  readonly onBrowse: (() => void) | undefined;
  readonly onEdit: (server: Server) => void;
  readonly onRemove: (server: string) => void;
}

const minServersForSearch = 8;

/** All servers, those that work first, with a search field and a filter by status for many. */
export function ServerList(props: ServerListProps) {
  const { servers, mayEdit, onEdit, onRemove } = props;
  const [search, setSearch] = useSearchParams();
  const changed = useQuery(queries.changedTools()).data ?? [];
  if (servers.length === 0) return <NoServers {...props} />;

  const sought = search.get('search') ?? '';
  const group = serverGroups.find(({ id }) => id === search.get('status'))?.id;
  const filterBy = (name: string, value: string) =>
    setSearch(
      (before) => {
        if (value === '') before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true },
    );
  const byGroup = Map.groupBy(servers, groupOf);
  const matching = serverGroups
    .flatMap(({ id }) => (group === undefined || group === id ? (byGroup.get(id) ?? []) : []))
    .filter((server) => searchText(server).includes(sought.trim().toLowerCase()));
  return (
    <>
      {servers.length >= minServersForSearch && (
        <div className="flex flex-wrap items-center gap-2">
          <SearchInput
            label="Search servers"
            className="max-w-sm max-sm:max-w-none"
            value={sought}
            onChange={(value) => filterBy('search', value)}
          />
          <Select
            aria-label="Status"
            className="w-auto!"
            value={group ?? ''}
            onChange={(event) => filterBy('status', event.target.value)}
          >
            <option value="">{`All (${formatNumber(servers.length)})`}</option>
            {serverGroups.map(({ id, label }) => (
              <option key={id} value={id}>
                {`${label} (${formatNumber(byGroup.get(id)?.length ?? 0)})`}
              </option>
            ))}
          </Select>
          {mayEdit && matching.length > 1 && <BulkMenu servers={matching} />}
        </div>
      )}
      <Card>
        {matching.length === 0 && <p className="px-4 py-6 text-center text-ink-soft">No matching servers.</p>}
        <WindowList label="Servers" items={matching} keyOf={({ id }) => id} estimate={104}>
          {(server) => (
            <ServerRow
              server={server}
              mayEdit={mayEdit}
              changed={changed.filter((tool) => tool.server === server.name).length}
              onEdit={() => onEdit(server)}
              onRemove={() => onRemove(server.name)}
            />
          )}
        </WindowList>
      </Card>
    </>
  );
}

/** The actions for all servers that the search and the filter leave. */
function BulkMenu({ servers }: { readonly servers: readonly Server[] }) {
  const acting = useBulkServerAction(servers);
  return (
    <Menu
      items={acting.items}
      trigger={
        <Button busy={acting.isPending} icon={ListChecks}>
          {`Actions for ${plural(servers.length, 'server')}`}
        </Button>
      }
    />
  );
}

function NoServers({ mayEdit, onAdd, onImport, onBrowse }: ServerListProps) {
  if (!mayEdit)
    return (
      <EmptyState
        icon={ServerIcon}
        title="No servers"
        actions={<ButtonLink href="/settings/session">Sign in with another key</ButtonLink>}
      >
        An administrator can add servers.
      </EmptyState>
    );
  return (
    <Card>
      <EmptyState
        icon={ServerIcon}
        title="No servers yet"
        actions={
          <>
            <Button look="primary" onClick={onAdd} icon={Plus}>
              Add a server
            </Button>
            <Button onClick={onImport} icon={ClipboardPaste}>
              Import from another client
            </Button>
            {onBrowse && (
              <Button onClick={onBrowse} icon={PackageSearch}>
                Find in registry
              </Button>
            )}
          </>
        }
      >
        Servers provide the tools. Connect a local command or a URL, or import the configuration of another MCP client.
      </EmptyState>
    </Card>
  );
}

function searchText({ name, description = '', place = '', status }: Server): string {
  return `${name}\n${description}\n${place}\n${status.state}`.toLowerCase();
}

/** Where the word of a state does not read well in front of a time. */
const sinceWords: Partial<Record<Server['status']['state'], string>> = {
  connecting: 'connecting since',
  error: 'failed',
};

interface ServerRowProps {
  readonly server: Server;
  readonly mayEdit: boolean;
  /** The number of changed and new tools. */
  readonly changed: number;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

/** One server in the list with its status, offers and actions. */
function ServerRow({ server, mayEdit, changed, onEdit, onRemove }: ServerRowProps) {
  const { name, description, place, status, offers, enabled, source } = server;
  const action = useServerAction(name);
  const shownName = safeText(name, 100);
  const isStale = Object.values(offers).some((list) => list?.stale);
  const rejected = offers.tools?.rejected.length ?? 0;
  const isConnected = takesCalls(status.state);
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
            {source === 'file' && <Badge>Configuration file</Badge>}
            {source === 'default' && <Badge>Default server</Badge>}
            {changed > 0 && (
              <Link href={`${serverAddress(name)}?tab=changes`}>
                <Badge tone="warn">{plural(changed, 'changed or new tool')}</Badge>
              </Link>
            )}
            {isConnected && isStale && <Badge tone="warn">May be out of date</Badge>}
            {rejected > 0 && <Badge tone="warn">{`${plural(rejected, 'tool')} left out`}</Badge>}
          </div>
          {description !== undefined && description !== '' && (
            <p className="line-clamp-2 break-words text-ink-soft">{safeText(description, 300)}</p>
          )}
          <DottedRow>
            {isConnected && <span>{describeOffers(offers)}</span>}
            {!isConnected && isStale && <span>{`${describeOffers(offers)} (last known)`}</span>}
            <span>{describeProtocol(status) || transportLabels[server.transport]}</span>
            {isConnected && status.connectMs !== undefined && (
              <span>{`connected in ${formatDuration(status.connectMs)}`}</span>
            )}
            {enabled && (
              <span>
                {sinceWords[status.state] ?? states[status.state][1].toLowerCase()} <TimeAgo at={status.since} />
              </span>
            )}
          </DottedRow>
          {place !== undefined && (
            <p title={safeText(place, 500)} className="truncate font-mono text-xs text-ink-faint">
              {safeText(place, 300)}
            </p>
          )}
        </div>
        {mayEdit && (
          <div className="-mt-1.5 -mr-1.5 flex shrink-0 items-center gap-1">
            {source === 'store' && (
              <Switch
                className="items-center"
                label={<span className="sr-only">{`Enabled: ${shownName}`}</span>}
                checked={action.running === 'enable' || (enabled && action.running !== 'disable')}
                disabled={isSwitching}
                onChange={(on) => action.run(on ? 'enable' : 'disable')}
              />
            )}
            <ServerMenu server={server} action={action} onEdit={onEdit} onRemove={onRemove} />
          </div>
        )}
      </div>
      <ServerTrouble server={server} action={mayEdit ? action : undefined} onEdit={onEdit} />
    </article>
  );
}

/** Items in a row, separated by dots. */
function DottedRow({ children }: { readonly children: ReactNode }) {
  return (
    <div className="overflow-hidden text-xs text-ink-soft">
      <div className="-ml-3.5 flex flex-wrap [&>*]:relative [&>*]:pl-3.5 [&>*]:before:absolute [&>*]:before:left-1.5 [&>*]:before:text-ink-faint [&>*]:before:content-['·']">
        {children}
      </div>
    </div>
  );
}

interface ServerMenuProps {
  readonly server: Server;
  readonly action: ServerAction;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

/** The actions for a server. */
function ServerMenu({ server, action, onEdit, onRemove }: ServerMenuProps) {
  const isBusy = action.running !== undefined;
  const items = listServerActions(server, action, { onEdit, onRemove }).map((item) => ({
    ...item,
    disabled: item.disabled || (isBusy && item.verb !== undefined),
  }));
  return (
    <Menu
      items={items}
      trigger={<IconButton label={`Actions for ${safeText(server.name, 100)}`} busy={isBusy} icon={Ellipsis} />}
    />
  );
}
