import { isObject } from '../../../contract/json.ts';
import { logLevels as levels } from '../../../toolwharf/connections/session-log-level.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { Sessions } from './sessions.ts';

export function isLogLevel(level: unknown): level is string {
  return levels.includes(level as string);
}

/** True if a message of this level is at least as severe as the chosen level. */
export function passesLevel(level: unknown, wanted: string): boolean {
  return levels.indexOf(String(level)) >= levels.indexOf(wanted);
}

/**
 * Sets legacy servers to the most verbose level of all sessions of clients, for messages outside of requests. Requests carry the level
 * of their client. Messages are filtered for each client later.
 */
export interface LogLevels {
  /** Applies the level that a session chose to all servers. */
  settle(): Promise<void>;
  close(): void;
}

export interface LogLevelsOptions {
  readonly toolbox: InternalToolbox;
  readonly sessions: Sessions;
}

export function createLogLevels({ toolbox, sessions }: LogLevelsOptions): LogLevels {
  const current = new Map<string, string>();

  function wantedLevel(): string | undefined {
    const wanted = [...sessions.all()].map((session) => levels.indexOf(session.logLevel ?? ''));
    return levels[Math.min(...wanted.filter((index) => index >= 0))];
  }

  async function setLevel(server: string, level: string): Promise<void> {
    const { status } = toolbox.servers.get(server) ?? {};
    // A server that sleeps gets the level when it wakes.
    if (
      status?.era !== 'legacy' ||
      status.state === 'sleeping' ||
      !isObject(status.capabilities?.logging) ||
      current.get(server) === level
    )
      return;
    current.set(server, level);
    // A server that rejects the request keeps its own level.
    await toolbox.servers.setLogLevel(server, level).catch(() => current.delete(server));
  }

  const end = toolbox.on('server.changed', ({ server, status }) => {
    if (status.state === 'degraded') return;
    current.delete(server);
    const level = wantedLevel();
    // A new session with the server starts with the server's default level.
    if (status.state === 'connected' && level !== undefined) void setLevel(server, level);
  });

  return {
    async settle() {
      const level = wantedLevel();
      if (level !== undefined) await Promise.all(toolbox.servers.list().map(({ name }) => setLevel(name, level)));
    },
    close: end,
  };
}
