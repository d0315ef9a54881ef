import { isObject } from '../../kernel/json.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { Sessions } from './sessions.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export function isLogLevel(level: unknown): level is string {
  return levels.includes(level as string);
}

/** Whether a message of this level is wanted by someone who asked for that one. */
export function passesLevel(level: unknown, wanted: string): boolean {
  return levels.indexOf(String(level)) >= levels.indexOf(wanted);
}

/** How talkative legacy servers are told to be: as the most curious client wants. What each client hears is filtered later. */
export interface LogLevels {
  /** A session chose its level: all servers follow. */
  settle(): Promise<void>;
  /** For one request: the server says at least this much. */
  raise(server: string, level: string): Promise<void>;
  close(): void;
}

export interface LogLevelsOptions {
  readonly toolbox: InternalToolbox;
  readonly sessions: Sessions;
}

export function createLogLevels({ toolbox, sessions }: LogLevelsOptions): LogLevels {
  const told = new Map<string, string>();

  function wantedLevel(): string | undefined {
    const wanted = [...sessions.all()].map((session) => levels.indexOf(session.logLevel ?? ''));
    return levels[Math.min(...wanted.filter((index) => index >= 0))];
  }

  async function tell(server: string, level: string): Promise<void> {
    const { status } = toolbox.servers.get(server) ?? {};
    if (status?.era !== 'legacy' || !isObject(status.capabilities?.logging) || told.get(server) === level) return;
    told.set(server, level);
    // One that does not take it keeps its own level.
    await toolbox.servers.setLogLevel(server, level).catch(() => told.delete(server));
  }

  const end = toolbox.on('server.changed', ({ server, status }) => {
    if (status.state === 'degraded') return;
    told.delete(server);
    const level = wantedLevel();
    // A new session with the server knows nothing of what the one before was told.
    if (status.state === 'connected' && level !== undefined) void tell(server, level);
  });

  return {
    async settle() {
      const level = wantedLevel();
      if (level !== undefined) await Promise.all(toolbox.servers.list().map(({ name }) => tell(name, level)));
    },
    async raise(server, level) {
      const now = told.get(server);
      if (now === undefined || !passesLevel(level, now)) await tell(server, level);
    },
    close: end,
  };
}
