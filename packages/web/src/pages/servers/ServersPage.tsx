import { useQuery } from '@tanstack/react-query';
import { ClipboardPaste, PackageSearch, Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { api, type Server } from '../../api/client.ts';
import { queries, useMay } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useFileDrop } from '../../components/use-file-drop.ts';
import { useSlot } from '../../shell/feature.ts';
import { ImportDialog } from './ImportDialog.tsx';
import { ServerFormDialog } from './ServerFormDialog.tsx';
import { ServerList } from './ServerList.tsx';
import { ServerPanel } from './ServerPanel.tsx';
import { readServer, serverAddress } from './server-address.ts';

// Larger files are no configuration.
const maxFileBytes = 1_000_000;

/** All servers. The address names the open one and the open dialog. */
export default function ServersPage() {
  const [, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  // The parameters of the router leave some characters of a name encoded.
  const name = readServer(location.pathname);
  const servers = useQuery(queries.servers());
  const mayEdit = useMay('servers.write');
  const paste = () => navigate('/servers?import');
  const [removing, setRemoving] = useState<string>();
  // A snapshot: after a rename the list no longer has the old name.
  const [editing, setEditing] = useState<Server>();

  const [dropped, setDropped] = useState<string>();
  const importText = (text: string) => {
    setDropped(text);
    paste();
  };
  const isDragging = useFileDrop(([file]) => {
    if (!file || file.size > maxFileBytes) return;
    // A folder, and a file that was removed meanwhile, cannot be read.
    void file.text().then(importText, () => {});
  }, mayEdit);
  const server = servers.data?.find((item) => item.name === name);
  const showList = () => navigate('/servers');
  const add = () => navigate('/servers?add');
  const FindServers = useSlot('findServers');
  const browse = FindServers && (() => navigate('/servers?registry'));
  const actions = { onAdd: add, onImport: paste, onBrowse: browse, onEdit: setEditing, onRemove: setRemoving };

  return (
    <Page
      title="Servers"
      description="The MCP servers and HTTP APIs of this gateway."
      actions={
        mayEdit && (
          <>
            {browse && (
              <Button onClick={browse} icon={PackageSearch}>
                Browse registry
              </Button>
            )}
            <Button onClick={paste} icon={ClipboardPaste}>
              Import
            </Button>
            <Button look="primary" onClick={add} icon={Plus}>
              Add server
            </Button>
          </>
        )
      }
    >
      <QueryState query={servers} what="servers" />
      {servers.data && name !== undefined && !server && !editing && (
        <Notice tone="warn" title={`No server named '${safeText(name, 100)}'`}>
          It was removed or renamed.
        </Notice>
      )}
      {servers.data && <ServerList servers={servers.data} mayEdit={mayEdit} {...actions} />}
      {server && !editing && removing === undefined && (
        <ServerPanel
          key={server.name}
          server={server}
          mayEdit={mayEdit}
          tab={search.get('tab') ?? 'overview'}
          onTabChange={(tab) => navigate(`${serverAddress(server.name)}?tab=${tab}`, { replace: true })}
          onEdit={() => setEditing(server)}
          onRemove={() => setRemoving(server.name)}
          onClose={showList}
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
      {mayEdit && search.has('add') && <ServerFormDialog onPasted={importText} onClose={showList} />}
      {mayEdit && search.has('import') && (
        <ImportDialog
          key={dropped}
          text={dropped}
          onClose={() => {
            setDropped(undefined);
            showList();
          }}
        />
      )}
      {isDragging && (
        <p className="pointer-events-none fixed inset-3 z-40 grid place-items-center rounded-xl border-2 border-dashed border-accent bg-accent-soft/90 text-base font-semibold">
          Drop the configuration file to import its servers
        </p>
      )}
      {mayEdit && FindServers && search.has('registry') && (
        <Suspense>
          <FindServers onClose={showList} />
        </Suspense>
      )}
      <RemovalDialog
        item={removing}
        title={(removed) => `Remove '${safeText(removed, 100)}'?`}
        remove={(removed) => api.removeServer({ path: { server: removed } })}
        done="Server removed."
        queryKey="servers"
        onClose={() => setRemoving(undefined)}
        onRemoved={showList}
      >
        {() =>
          'The server is disconnected, and its settings, its secrets and the accounts of people there are deleted. Its calls stay in the journal.'
        }
      </RemovalDialog>
    </Page>
  );
}
