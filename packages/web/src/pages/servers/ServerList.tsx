import { useQuery } from '@tanstack/react-query';
import { ClipboardPaste, PackageSearch, Plus, Server as ServerIcon } from 'lucide-react';
import { useState } from 'react';
import type { Server } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { SearchInput } from '../../components/fields.tsx';
import { LongList } from '../../components/LongList.tsx';
import { ServerRow } from './ServerRow.tsx';

export interface ServerListProps {
  readonly servers: readonly Server[];
  readonly isAdmin: boolean;
  readonly onAdd: () => void;
  readonly onImport: () => void;
  /** Finds published servers. */
  readonly onBrowse: (() => void) | undefined;
  readonly onEdit: (server: Server) => void;
  readonly onRemove: (server: string) => void;
}

const minServersForSearch = 8;

/** The list of servers with a search field. */
export function ServerList({ servers, isAdmin, onAdd, onImport, onBrowse, onEdit, onRemove }: ServerListProps) {
  const [search, setSearch] = useState('');
  const changed = useQuery(queries.changedTools()).data ?? [];
  if (servers.length === 0)
    return <NoServers isAdmin={isAdmin} onAdd={onAdd} onImport={onImport} onBrowse={onBrowse} />;

  const sought = search.trim().toLowerCase();
  const found = servers.filter((server) => searchText(server).includes(sought));
  return (
    <>
      {servers.length >= minServersForSearch && (
        <SearchInput label="Search servers" className="max-w-sm" value={search} onChange={setSearch} />
      )}
      <Card>
        {found.length === 0 && <p className="px-4 py-6 text-center text-ink-soft">No matching servers.</p>}
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
  if (!isAdmin)
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
