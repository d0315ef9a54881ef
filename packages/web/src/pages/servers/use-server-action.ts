import { Pencil, Plug, RefreshCw, ShieldCheck, Trash2, Unplug } from 'lucide-react';
import { takesCalls } from '../../../../contract/connections.ts';
import { api, type Server } from '../../api/client.ts';
import type { MenuItem } from '../../components/Menu.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useAction } from '../../components/use-action.ts';

/** The request of each action of a server. */
export const serverRequests = {
  accept: api.acceptServer,
  connect: api.connectServer,
  disconnect: api.disconnectServer,
  refresh: api.refreshServer,
  enable: api.enableServer,
  disable: api.disableServer,
};

const done: Readonly<Record<ServerVerb, (server: string) => string>> = {
  accept: (server) => `'${server}' is accepted.`,
  connect: (server) => `'${server}' is connected.`,
  disconnect: (server) => `'${server}' is disconnected.`,
  refresh: (server) => `The tools of '${server}' are refreshed.`,
  enable: (server) => `'${server}' is enabled.`,
  disable: (server) => `'${server}' is disabled.`,
};

export type ServerVerb = keyof typeof serverRequests;

export interface ServerAction {
  run(verb: ServerVerb): void;
  /** The action in progress. */
  readonly running: ServerVerb | undefined;
}

/** Runs actions of a server and reports the result. */
export function useServerAction(server: string): ServerAction {
  const acting = useAction<unknown, ServerVerb>({
    run: (verb) => serverRequests[verb]({ path: { server } }),
    done: (_result, verb) => done[verb](safeText(server, 100)),
    refetch: ['servers'],
  });
  return { run: acting.mutate, running: acting.isPending ? acting.variables : undefined };
}

/** An action for a server in a menu or as a button; one of the gateway has a verb. */
export interface ServerActionItem extends MenuItem {
  readonly label: string;
  readonly verb?: ServerVerb;
}

/** What can be done with a server now. */
export function listServerActions(
  { status: { state }, source, enabled, review }: Server,
  { run }: ServerAction,
  { onEdit, onRemove }: { readonly onEdit: () => void; readonly onRemove: () => void },
): readonly ServerActionItem[] {
  const isConnected = takesCalls(state);
  const of = (verb: ServerVerb) => ({ verb, onSelect: () => run(verb) });
  return [
    ...(review ? [{ label: 'Accept', icon: ShieldCheck, ...of('accept') }] : []),
    ...(state === 'sleeping' ? [{ label: 'Wake', icon: Plug, ...of('connect') }] : []),
    isConnected || state === 'connecting'
      ? { label: 'Disconnect', icon: Unplug, ...of('disconnect') }
      : { label: 'Connect', icon: Plug, disabled: !enabled || review !== undefined, ...of('connect') },
    { label: 'Refresh tools', icon: RefreshCw, disabled: !isConnected, ...of('refresh') },
    ...(source === 'store'
      ? [
          { label: 'Edit', icon: Pencil, onSelect: onEdit },
          { label: 'Remove', icon: Trash2, danger: true, onSelect: onRemove },
        ]
      : []),
  ];
}
