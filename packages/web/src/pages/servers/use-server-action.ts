import { api } from '../../api/client.ts';
import { safeText } from '../../components/safe-text.ts';
import { useAction } from '../../components/use-action.ts';

const requests = {
  connect: api.connectServer,
  disconnect: api.disconnectServer,
  refresh: api.refreshServer,
  enable: api.enableServer,
  disable: api.disableServer,
};

const done: Readonly<Record<ServerVerb, (server: string) => string>> = {
  connect: (server) => `'${server}' is connected.`,
  disconnect: (server) => `'${server}' is disconnected.`,
  refresh: (server) => `The tools of '${server}' are refreshed.`,
  enable: (server) => `'${server}' is enabled.`,
  disable: (server) => `'${server}' is disabled.`,
};

export type ServerVerb = keyof typeof requests;

export interface ServerAction {
  run(verb: ServerVerb): void;
  /** The action in progress. */
  readonly running: ServerVerb | undefined;
}

/** Runs actions of a server and reports the result. */
export function useServerAction(server: string): ServerAction {
  const acting = useAction<unknown, ServerVerb>({
    run: (verb) => requests[verb]({ path: { server } }),
    done: (_result, verb) => done[verb](safeText(server, 100)),
    refetch: ['servers'],
  });
  return { run: acting.mutate, running: acting.isPending ? acting.variables : undefined };
}
