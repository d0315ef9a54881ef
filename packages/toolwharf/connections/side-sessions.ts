import { ToolwharfError } from '../../contract/errors.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import type { Clock } from '../kernel/clock.ts';
import { abortable } from '../kernel/wait.ts';
import type { Session } from './session.ts';
import { createTurns, type Turns } from './turns.ts';

/** Requests that share one session: the session as it is now, its replacement after a failure, and their turns. */
export interface Lane {
  readonly turns: Turns;
  /** The open session, or the promise of a new one. */
  session(signal?: AbortSource): Session | Promise<Session>;
  /** The session no longer delivers: the next request gets another one. */
  retire(session: Session, cause: ToolwharfError): void;
}

/** Sessions beside the main one of a connection, opened on demand and closed when idle. */
export interface SideSessions {
  /** The lane with this key. Throws QUEUE_FULL when there are too many. */
  lane(key: string, open: OpenSideSession): Lane;
  /** The open session of the lane with this key. */
  opened(key: string): Session | undefined;
  /** True while there are no sessions. */
  readonly isEmpty: boolean;
  close(): Promise<void>;
}

/** Opens a session; `onLost` is called when it breaks. */
export type OpenSideSession = (signal: AbortSignal, onLost: () => void) => Promise<Session>;

export interface SideSessionsOptions {
  readonly server: string;
  readonly clock: Clock;
}

interface Side {
  readonly turns: Turns;
  usedAt: number;
  opening?: Promise<Session>;
  session?: Session;
}

const idleMs = 300_000;
const maxSessions = 32;

export function createSideSessions(options: SideSessionsOptions): SideSessions {
  const { server, clock } = options;
  const sides = new Map<string, Side>();
  const lifetime = { current: new AbortController() };
  let sweeping = false;

  async function closeIdle(signal: AbortSignal): Promise<void> {
    sweeping = true;
    while (sides.size > 0 && !signal.aborted) {
      await clock.sleep(idleMs / 5, signal).catch(() => {});
      for (const [key, side] of sides) if (clock.now() - side.usedAt > idleMs) await closeUnused(key, side);
    }
    sweeping = false;
  }

  /** False while requests are pending. */
  async function closeUnused(key: string, side: Side): Promise<boolean> {
    const session = await side.opening?.catch(() => undefined);
    if (session && session.channel.inFlight > 0) return false;
    if (sides.get(key) === side) sides.delete(key);
    await session?.close();
    return true;
  }

  function sideFor(key: string): Side {
    const known = sides.get(key);
    if (known) {
      known.usedAt = clock.now();
      return known;
    }
    if (sides.size >= maxSessions) {
      const message = `Server '${server}' has ${maxSessions} sessions of clients already; try again when one has been idle for ${Math.round(idleMs / 60_000)} minutes`;
      throw new ToolwharfError('QUEUE_FULL', message, { data: { reached: false } });
    }
    const side: Side = { turns: createTurns(server), usedAt: clock.now() };
    sides.set(key, side);
    if (!sweeping) void closeIdle(lifetime.current.signal);
    return side;
  }

  return {
    lane(key, open) {
      const side = sideFor(key);
      return {
        turns: side.turns,
        session(signal) {
          if (!side.opening) {
            const forget = () => {
              if (side.opening === opening) side.opening = side.session = undefined;
            };
            const opening = open(lifetime.current.signal, forget);
            side.opening = opening;
            opening.then((session) => {
              if (side.opening === opening) side.session = session;
            }, forget);
          }
          return abortable(side.opening, signal);
        },
        retire(session) {
          side.opening = side.session = undefined;
          session.channel
            .whenIdle()
            .then(() => session.close())
            .catch(() => {});
        },
      };
    },
    opened: (key) => sides.get(key)?.session,
    get isEmpty() {
      return sides.size === 0;
    },
    async close() {
      const closing = [...sides.values()];
      sides.clear();
      lifetime.current.abort();
      lifetime.current = new AbortController();
      await Promise.all(closing.map(async ({ opening }) => (await opening?.catch(() => undefined))?.close()));
    },
  };
}
