import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';

export type ServerVerb = 'connect' | 'disconnect' | 'refresh' | 'enable' | 'disable';

export interface ServerAction {
  run(verb: ServerVerb): void;
  /** What is being done right now. */
  readonly running: ServerVerb | undefined;
}

const calls = {
  connect: api.connectServer,
  disconnect: api.disconnectServer,
  refresh: api.refreshServer,
  enable: api.enableServer,
  disable: api.disableServer,
};

const done: Readonly<Record<ServerVerb, string>> = {
  connect: 'is connected',
  disconnect: 'is disconnected',
  refresh: 'was asked for its tools again',
  enable: 'is enabled',
  disable: 'is disabled',
};

/** Does things with one server, and says how they went. */
export function useServerAction(server: string): ServerAction {
  const client = useQueryClient();
  const toast = useToast();
  const acting = useMutation({
    mutationFn: async (verb: ServerVerb) => void (await calls[verb]({ path: { server } })),
    onSuccess: (_done, verb) => toast(`'${safeText(server, 100)}' ${done[verb]}.`),
    onError: (error) => toast.error(new Error(safeText(messageOf(error), 1_000))),
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  return { run: acting.mutate, running: acting.isPending ? acting.variables : undefined };
}
