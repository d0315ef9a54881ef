import { useQuery } from '@tanstack/react-query';
import { ClipboardPaste, PackageSearch, Plus } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Server } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNotice, Notice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { ImportDialog } from './ImportDialog.tsx';
import { RemoveDialog } from './RemoveDialog.tsx';
import { RegistryDialog } from './registry/RegistryDialog.tsx';
import { ServerFormDialog } from './ServerFormDialog.tsx';
import { ServerList } from './ServerList.tsx';
import { ServerPanel } from './ServerPanel.tsx';
import { nameInPath, serverAddress } from './server-address.ts';

/** All servers; the address says which one is looked at, and what is being done. */
export default function ServersPage() {
  const [, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  // Not as the router hands it out: it has decoded a part of it already.
  const name = nameInPath(location.pathname);
  const servers = useQuery(queries.servers());
  const isAdmin = useQuery(queries.session()).data?.rights.includes('admin') ?? false;
  const [removing, setRemoving] = useState<string>();
  // Kept as it was: with a new name it is another one for the list before it is for the form.
  const [editing, setEditing] = useState<Server>();

  const server = servers.data?.find((one) => one.name === name);
  const toList = () => navigate('/servers');
  const add = () => navigate('/servers?add');
  const paste = () => navigate('/servers?import');
  const browse = () => navigate('/servers?registry');

  return (
    <Page
      title="Servers"
      description="Every MCP server and HTTP API that the gateway is connected to, or tries to be."
      actions={
        isAdmin && (
          <>
            <Button onClick={browse}>
              <PackageSearch aria-hidden />
              Browse registry
            </Button>
            <Button onClick={paste}>
              <ClipboardPaste aria-hidden />
              Import
            </Button>
            <Button look="primary" onClick={add}>
              <Plus aria-hidden />
              Add server
            </Button>
          </>
        )
      }
    >
      {servers.isError && (
        <ErrorNotice title="The servers can't be read" error={servers.error} onRetry={() => void servers.refetch()} />
      )}
      {servers.isPending && <Spinner label="Loading …" />}
      {servers.data && name !== undefined && !server && !editing && (
        <Notice tone="warn" title={`There is no server '${safeText(name, 100)}'`}>
          It was removed, or it has another name now.
        </Notice>
      )}
      {servers.data && (
        <ServerList
          servers={servers.data}
          isAdmin={isAdmin}
          onAdd={add}
          onImport={paste}
          onBrowse={browse}
          onEdit={setEditing}
          onRemove={setRemoving}
        />
      )}
      {server && !editing && removing === undefined && (
        <ServerPanel
          key={server.name}
          server={server}
          isAdmin={isAdmin}
          tab={search.get('tab') ?? 'overview'}
          onTab={(tab) => navigate(`${serverAddress(server.name)}?tab=${tab}`, { replace: true })}
          onEdit={() => setEditing(server)}
          onRemove={() => setRemoving(server.name)}
          onClose={toList}
        />
      )}
      {editing && (
        <ServerFormDialog
          edited={editing}
          onClose={(saved) => {
            setEditing(undefined);
            if (saved && name !== undefined) navigate(serverAddress(saved.name), { replace: true });
          }}
        />
      )}
      {isAdmin && search.has('add') && <ServerFormDialog onClose={toList} />}
      {isAdmin && search.has('import') && <ImportDialog onClose={toList} />}
      {isAdmin && search.has('registry') && <RegistryDialog onClose={toList} />}
      {removing !== undefined && (
        <RemoveDialog
          server={removing}
          onClose={(isRemoved) => {
            setRemoving(undefined);
            if (isRemoved) toList();
          }}
        />
      )}
    </Page>
  );
}
