import type { ConnectionStatus } from '../connections/status.ts';
import type { ServerInfo } from './server-info.ts';

/**
 * Waits until every server has finished its first connection attempt, or the timeout has passed. Undefined if there is nothing to wait
 * for. Servers that rest after failed attempts are tried again in the background, because somebody wants to see what they offer.
 */
export type StartWait = () => Promise<void> | undefined;

interface StartingServers {
  readonly servers: { list(): readonly ServerInfo[]; connect(name: string): Promise<unknown> };
  on(name: 'server.changed', listener: () => void): () => void;
}

// How often resting servers are looked for, and how long a server rests at least.
const lookMs = 5_000;
const minRestMs = 60_000;

/** The wait ends at the latest `waitMs` after this is created. */
export function createStartWait(toolbox: StartingServers, waitMs: number, readTime = Date.now): StartWait {
  const deadline = Date.now() + waitMs;
  let lookedAt = 0;

  function isStarting(): boolean {
    return toolbox.servers.list().some(({ enabled, status: { state, failures, lastConnectedAt } }) => {
      return enabled && state === 'connecting' && failures === 0 && lastConnectedAt === undefined;
    });
  }

  function wakeResting(): void {
    const now = readTime();
    if (Math.abs(now - lookedAt) < lookMs) return;
    lookedAt = now;
    for (const { name, enabled, status } of toolbox.servers.list())
      if (enabled && mayWake(status, now)) toolbox.servers.connect(name).catch(() => {});
  }

  return () => {
    wakeResting();
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

/** A person must act first if credentials or the command are missing. */
function mayWake({ state, cause, signInUrl, since, nextTryAt }: ConnectionStatus, now: number): boolean {
  if (state !== 'error' || cause !== undefined || signInUrl !== undefined || nextTryAt === undefined) return false;
  return now - Date.parse(since) >= minRestMs && Date.parse(nextTryAt) - now >= minRestMs;
}
