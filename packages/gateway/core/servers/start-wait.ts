import type { ConnectionStatus } from '../../../toolwharf/connections/status.ts';
import { waitAtMost } from '../../../toolwharf/kernel/wait.ts';
import type { ServerInfo } from '../../../toolwharf/servers/server-info.ts';
import { mayTryServer } from '../../../toolwharf/servers/wait-for-tools.ts';

/**
 * Waits until every server has finished its first connection attempt, or the timeout has passed. Undefined if there is nothing to wait
 * for. Servers that are down are tried again at once, because somebody wants to see what they offer.
 */
export type StartWait = () => Promise<void> | undefined;

interface StartingServers {
  readonly servers: { list(): readonly ServerInfo[]; connect(name: string): Promise<unknown> };
  on(name: 'server.changed', listener: () => void): () => void;
}

// A list waits for the same server once in this time: one that never answers must not slow down every list.
const waitAgainMs = 30_000;

/** A list waits `waitMs` at most: for first attempts counted from now, for servers that are tried again from their list. */
export function createStartWait(toolbox: StartingServers, waitMs: number): StartWait {
  const startsUntil = Date.now() + waitMs;
  const awaitedAt = new Map<string, number>();

  const enabled = () => toolbox.servers.list().filter((server) => server.enabled);
  const isStarting = () => enabled().some(({ status }) => status.state === 'connecting' && isFirstAttempt(status));

  /** Tries the servers that are down. Returns the attempts that the list waits for. */
  function tryAgain(): Promise<unknown>[] {
    const now = Date.now();
    return enabled().flatMap(({ name, status, offers }) => {
      if (status.state === 'connecting' || !mayTryServer(status, now)) return [];
      const attempt = toolbox.servers.connect(name).catch(() => {});
      if (offers.tools || now - (awaitedAt.get(name) ?? 0) < waitAgainMs) return [];
      awaitedAt.set(name, now);
      return attempt;
    });
  }

  function waitForStart(remainingMs: number): Promise<void> {
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
  }

  return () => {
    const attempts = tryAgain();
    const remainingMs = startsUntil - Date.now();
    const starting = remainingMs > 0 && isStarting() ? waitForStart(remainingMs) : undefined;
    if (attempts.length === 0 || waitMs <= 0) return starting;
    return Promise.all([starting, waitAtMost(Promise.all(attempts), waitMs)]).then(() => {});
  };
}

function isFirstAttempt({ failures, lastConnectedAt }: ConnectionStatus): boolean {
  return failures === 0 && lastConnectedAt === undefined;
}
