import { Ellipsis, Pencil, Plug, RefreshCw, Trash2, Unplug } from 'lucide-react';
import type { Server } from '../../api/client.ts';
import { IconButton } from '../../components/Button.tsx';
import { Menu, type MenuItem } from '../../components/Menu.tsx';
import { safeText } from '../../components/safe-text.ts';
import type { ServerAction } from './use-server-action.ts';

export interface ServerMenuProps {
  readonly server: Server;
  readonly action: ServerAction;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

/** The actions for a server. */
export function ServerMenu({ server, action, onEdit, onRemove }: ServerMenuProps) {
  const { state } = server.status;
  const isConnected = state === 'connected' || state === 'degraded';
  const isBusy = action.running !== undefined;
  const isStored = server.source === 'store';
  const items: MenuItem[] = [
    isConnected || state === 'connecting'
      ? {
          label: 'Disconnect',
          icon: <Unplug aria-hidden />,
          disabled: isBusy,
          onSelect: () => action.run('disconnect'),
        }
      : {
          label: 'Connect',
          icon: <Plug aria-hidden />,
          disabled: isBusy || !server.enabled,
          onSelect: () => action.run('connect'),
        },
    {
      label: 'Refresh tools',
      icon: <RefreshCw aria-hidden />,
      disabled: isBusy || !isConnected,
      onSelect: () => action.run('refresh'),
    },
    ...(isStored
      ? [
          { label: 'Edit', icon: <Pencil aria-hidden />, onSelect: onEdit },
          { label: 'Remove', icon: <Trash2 aria-hidden />, danger: true, onSelect: onRemove },
        ]
      : []),
  ];
  return (
    <Menu
      items={items}
      trigger={
        <IconButton label={`Actions for ${safeText(server.name, 100)}`} busy={isBusy}>
          {!isBusy && <Ellipsis aria-hidden />}
        </IconButton>
      }
    />
  );
}
