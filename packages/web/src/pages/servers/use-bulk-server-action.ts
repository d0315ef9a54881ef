import { Plug, RefreshCw, ToggleLeft, ToggleRight, Unplug } from 'lucide-react';
import { takesCalls } from '../../../../contract/connections.ts';
import type { Server } from '../../api/client.ts';
import type { MenuItem } from '../../components/Menu.tsx';
import { useAction } from '../../components/use-action.ts';
import { plural } from '../../text/plural.ts';
import { type ServerVerb, serverRequests } from './use-server-action.ts';

const verbs: readonly {
  readonly verb: ServerVerb;
  readonly label: string;
  readonly done: string;
  readonly icon: MenuItem['icon'];
  readonly applies: (server: Server) => boolean;
}[] = [
  {
    ...{ verb: 'connect', label: 'Connect', done: 'connected', icon: Plug },
    applies: ({ enabled, status }) => enabled && !takesCalls(status.state),
  },
  {
    ...{ verb: 'disconnect', label: 'Disconnect', done: 'disconnected', icon: Unplug },
    applies: ({ status }) => takesCalls(status.state),
  },
  {
    ...{ verb: 'refresh', label: 'Refresh tools of', done: 'refreshed', icon: RefreshCw },
    applies: ({ status }) => takesCalls(status.state),
  },
  {
    ...{ verb: 'enable', label: 'Enable', done: 'enabled', icon: ToggleRight },
    applies: ({ source, enabled }) => source === 'store' && !enabled,
  },
  {
    ...{ verb: 'disable', label: 'Disable', done: 'disabled', icon: ToggleLeft },
    applies: ({ source, enabled }) => source === 'store' && enabled,
  },
];

// More at a time would start as many programs at once.
const atATime = 4;

/** Actions for several servers, each for those that it applies to. Reports how many succeeded. */
export function useBulkServerAction(servers: readonly Server[]) {
  const acting = useAction<string, (typeof verbs)[number]>({
    async run({ verb, applies, done }) {
      const names = servers.filter(applies).map(({ name }) => name);
      const failed: string[] = [];
      const queue = names.values();
      const work = async () => {
        for (const server of queue) await serverRequests[verb]({ path: { server } }).catch(() => failed.push(server));
      };
      await Promise.all(Array.from({ length: atATime }, work));
      const succeeded = `${plural(names.length - failed.length, 'server')} ${done}.`;
      return failed.length === 0 ? succeeded : `${succeeded} ${plural(failed.length, 'server')} failed.`;
    },
    done: (message) => message,
    refetch: ['servers'],
  });
  const items = verbs.flatMap((action): MenuItem[] => {
    const count = servers.filter(action.applies).length;
    if (count === 0) return [];
    return [
      { label: `${action.label} ${plural(count, 'server')}`, icon: action.icon, onSelect: () => acting.mutate(action) },
    ];
  });
  return { items, isPending: acting.isPending };
}
