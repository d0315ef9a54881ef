import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';

const useServerActionTexts = {
  connect: (server: string) => `'${server}' is connected.`,
  disconnect: (server: string) => `'${server}' is disconnected.`,
  refresh: (server: string) => `The tools of '${server}' are refreshed.`,
  enable: (server: string) => `'${server}' is enabled.`,
  disable: (server: string) => `'${server}' is disabled.`,
};

export type ServerVerb = 'connect' | 'disconnect' | 'refresh' | 'enable' | 'disable';

export interface ServerAction {
  run(verb: ServerVerb): void;
  /** The action in progress. */
  readonly running: ServerVerb | undefined;
}

const requests = {
  connect: api.connectServer,
  disconnect: api.disconnectServer,
  refresh: api.refreshServer,
  enable: api.enableServer,
  disable: api.disableServer,
};

/** Runs actions of a server and reports the result. */
export function useServerAction(server: string): ServerAction {
  const client = useQueryClient();
  const toast = useToast();
  const acting = useMutation({
    mutationFn: async (verb: ServerVerb) => void (await requests[verb]({ path: { server } })),
    onSuccess: (_result, verb) => toast(useServerActionTexts[verb](safeText(server, 100))),
    onError: (error) => toast.error(new Error(safeText(messageOf(error), 1_000))),
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  return { run: acting.mutate, running: acting.isPending ? acting.variables : undefined };
}
