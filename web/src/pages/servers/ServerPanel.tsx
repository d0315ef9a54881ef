import { useQuery } from '@tanstack/react-query';
import { Pencil, Plug, RefreshCw, Trash2, Unplug } from 'lucide-react';
import type { Server } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ServerStatus } from '../../components/ServerStatus.tsx';
import { safeText } from '../../components/safe-text.ts';
import { type Tab, Tabs } from '../../components/Tabs.tsx';
import { ChangedTools } from './ChangedTools.tsx';
import { ErrorOutput } from './ErrorOutput.tsx';
import { ServerOverview } from './ServerOverview.tsx';
import { ServerTools } from './ServerTools.tsx';
import { ServerTrouble } from './ServerTrouble.tsx';
import { serverQueries } from './server-queries.ts';
import { type ServerAction, useServerAction } from './use-server-action.ts';

export interface ServerPanelProps {
  readonly server: Server;
  readonly isAdmin: boolean;
  readonly tab: string;
  readonly onTabChange: (tab: string) => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

/** The details of a server in a dialog. */
export function ServerPanel({ server, isAdmin, tab, onTabChange, onEdit, onRemove, onClose }: ServerPanelProps) {
  const { name, description, status, enabled } = server;
  const action = useServerAction(name);
  const changed = (useQuery(serverQueries.changedTools()).data ?? []).filter((tool) => tool.server === name);
  const hasOutput = isAdmin && (status.transport ?? server.transport) === 'stdio';
  const tabs: Tab[] = [
    { id: 'overview', label: 'Overview', content: <ServerOverview server={server} /> },
    {
      id: 'tools',
      label: <>Tools {server.offers.tools && <Badge>{server.offers.tools.count}</Badge>}</>,
      content: <ServerTools server={server} />,
    },
    {
      id: 'changes',
      label: <>Changes {changed.length > 0 && <Badge tone="warn">{changed.length}</Badge>}</>,
      content: <ChangedTools tools={changed} isAdmin={isAdmin} />,
    },
    ...(hasOutput ? [{ id: 'output', label: 'Error output', content: <ErrorOutput server={name} /> }] : []),
  ];
  return (
    <Dialog
      open
      onClose={onClose}
      shape="side"
      title={safeText(name, 100)}
      description={
        <div className="flex flex-col items-start gap-1">
          <ServerStatus status={status} enabled={enabled} />
          {description !== undefined && description !== '' && (
            <span className="max-h-24 overflow-y-auto break-words whitespace-pre-wrap">
              {safeText(description, 2_000)}
            </span>
          )}
        </div>
      }
    >
      <div className="flex flex-col gap-3">
        {isAdmin && <Actions server={server} action={action} onEdit={onEdit} onRemove={onRemove} />}
        <ServerTrouble server={server} action={isAdmin ? action : undefined} />
        <Tabs
          label="Server"
          tabs={tabs}
          value={tabs.some(({ id }) => id === tab) ? tab : 'overview'}
          onChange={onTabChange}
        />
      </div>
    </Dialog>
  );
}

interface ActionsProps {
  readonly server: Server;
  readonly action: ServerAction;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function Actions({ server, action, onEdit, onRemove }: ActionsProps) {
  const { source, enabled, status } = server;
  const { run, running } = action;
  const isDisconnected = status.state === 'disconnected' || status.state === 'error';
  const isConnected = status.state === 'connected' || status.state === 'degraded';
  return (
    <div className="flex flex-wrap gap-2">
      {isDisconnected ? (
        <Button size="small" disabled={!enabled} busy={running === 'connect'} onClick={() => run('connect')}>
          <Plug aria-hidden />
          Connect
        </Button>
      ) : (
        <Button size="small" busy={running === 'disconnect'} onClick={() => run('disconnect')}>
          <Unplug aria-hidden />
          Disconnect
        </Button>
      )}
      <Button size="small" disabled={!isConnected} busy={running === 'refresh'} onClick={() => run('refresh')}>
        <RefreshCw aria-hidden />
        Refresh tools
      </Button>
      {source === 'store' && (
        <>
          <Button
            size="small"
            busy={running === 'enable' || running === 'disable'}
            onClick={() => run(enabled ? 'disable' : 'enable')}
          >
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <Button size="small" onClick={onEdit}>
            <Pencil aria-hidden />
            Edit
          </Button>
          <Button size="small" look="danger" onClick={onRemove}>
            <Trash2 aria-hidden />
            Remove
          </Button>
        </>
      )}
    </div>
  );
}
