import { useQuery } from '@tanstack/react-query';
import { ClipboardPaste, PackageSearch, Plus, Server as ServerIcon } from 'lucide-react';
import { useState } from 'react';
import type { Server } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Input } from '../../components/fields.tsx';
import { LongList } from './LongList.tsx';
import { ServerRow } from './ServerRow.tsx';
import { serverQueries } from './server-queries.ts';

export interface ServerListProps {
  readonly servers: readonly Server[];
  readonly isAdmin: boolean;
  readonly onAdd: () => void;
  readonly onImport: () => void;
  readonly onBrowse: () => void;
  readonly onEdit: (server: Server) => void;
  readonly onRemove: (server: string) => void;
}

// Fewer than this are found by looking.
const searchFrom = 8;

/** The servers, in the order they have in the configuration and were added in. */
export function ServerList({ servers, isAdmin, onAdd, onImport, onBrowse, onEdit, onRemove }: ServerListProps) {
  const [search, setSearch] = useState('');
  const changed = useQuery(serverQueries.changedTools()).data ?? [];
  if (servers.length === 0)
    return <NoServers isAdmin={isAdmin} onAdd={onAdd} onImport={onImport} onBrowse={onBrowse} />;

  const wanted = search.trim().toLowerCase();
  const found = servers.filter((server) => textOf(server).includes(wanted));
  return (
    <>
      {servers.length >= searchFrom && (
        <Input
          type="search"
          aria-label="Find a server"
          placeholder="Find a server"
          className="max-w-sm"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <Card>
        {found.length === 0 && <p className="px-4 py-6 text-center text-ink-soft">No server has that in it.</p>}
        <LongList label="Servers" items={found} keyOf={({ id }) => id} estimate={104}>
          {(server) => (
            <ServerRow
              server={server}
              isAdmin={isAdmin}
              changed={changed.filter((tool) => tool.server === server.name).length}
              onEdit={() => onEdit(server)}
              onRemove={() => onRemove(server.name)}
            />
          )}
        </LongList>
      </Card>
    </>
  );
}

function NoServers({
  isAdmin,
  onAdd,
  onImport,
  onBrowse,
}: Pick<ServerListProps, 'isAdmin' | 'onAdd' | 'onImport' | 'onBrowse'>) {
  if (!isAdmin) return <EmptyState icon={<ServerIcon aria-hidden />} title="There are no servers for you" />;
  return (
    <Card>
      <EmptyState
        icon={<ServerIcon aria-hidden />}
        title="No servers yet"
        actions={
          <>
            <Button look="primary" onClick={onAdd}>
              <Plus aria-hidden />
              Add a server
            </Button>
            <Button onClick={onImport}>
              <ClipboardPaste aria-hidden />
              Import from another client
            </Button>
            <Button onClick={onBrowse}>
              <PackageSearch aria-hidden />
              Find one in the registry
            </Button>
          </>
        }
      >
        A server brings the tools. Add one by its address, paste what another MCP client has in its configuration, or
        look for one in the registry.
      </EmptyState>
    </Card>
  );
}

function textOf({ name, description = '', place = '', status }: Server): string {
  return `${name}\n${description}\n${place}\n${status.state}`.toLowerCase();
}
