import type { ServerInfo } from './server-info.ts';

/** Waits until every server has finished its first connection attempt, or the timeout has passed. Undefined if there is nothing to wait for. */
export type StartWait = () => Promise<void> | undefined;

interface StartingServers {
  readonly servers: { list(): readonly ServerInfo[] };
  on(name: 'server.changed', listener: () => void): () => void;
}

/** The wait ends at the latest `waitMs` after this is created. */
export function createStartWait(toolbox: StartingServers, waitMs: number): StartWait {
  const deadline = Date.now() + waitMs;

  function isStarting(): boolean {
    return toolbox.servers.list().some(({ enabled, status: { state, failures, lastConnectedAt } }) => {
      return enabled && state === 'connecting' && failures === 0 && lastConnectedAt === undefined;
    });
  }

  return () => {
    const remainingMs = deadline - Date.now();
    if (remainingMs <= 0 || !isStarting()) return undefined;
    return new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        unsubscribe();
        resolve();
      };
      const timer = setTimeout(done, remainingMs);
      const unsubscribe = toolbox.on('server.changed', () => {
        if (!isStarting()) done();
      });
    });
  };
}
