import type { Toolbox } from '../toolbox.ts';

/** Resolves when no server is on its very first way to being connected, or patience is over. After the start there is nothing to wait for. */
export type StartWait = () => Promise<void> | undefined;

export function createStartWait(toolbox: Pick<Toolbox, 'servers' | 'on'>, waitMs: number): StartWait {
  const until = Date.now() + waitMs;

  function isStarting(): boolean {
    return toolbox.servers().some(({ enabled, status: { state, failures, lastConnectedAt } }) => {
      return enabled && state === 'connecting' && failures === 0 && lastConnectedAt === undefined;
    });
  }

  return () => {
    const left = until - Date.now();
    if (left <= 0 || !isStarting()) return undefined;
    return new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        end();
        resolve();
      };
      const timer = setTimeout(done, left);
      const end = toolbox.on('server.changed', () => {
        if (!isStarting()) done();
      });
    });
  };
}
