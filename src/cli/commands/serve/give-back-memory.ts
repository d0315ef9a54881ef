import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Toolbox } from '../../../toolbox.ts';

export interface GiveBackMemoryOptions {
  readonly toolbox: Pick<Toolbox, 'on' | 'stats'>;
  /** How long nothing must have happened after the start; 2 000. */
  readonly startMs?: number;
  /** How long nothing must have happened later; ten minutes, since compiled code is lost too and has to be made again. */
  readonly quietMs?: number;
  /** How many bytes V8 holds. */
  readonly held?: () => number;
  /** What gives it back; V8's most thorough collection. */
  readonly collect?: () => void;
}

/**
 * Starting, or an hour of work, leaves V8 with far more room than what is in it, and by itself it keeps that for as long as nothing
 * happens. Once nothing has happened for a while, the room goes back to the system; the pause falls where nobody waits.
 */
export function giveBackMemory(options: GiveBackMemoryOptions): Disposable {
  const { toolbox, startMs = 2_000, quietMs = 600_000, held = heldBytes, collect = collectAll } = options;
  let lastBusy = performance.now();
  let isGiven = false;
  let wait = startMs;
  let left = 0;
  const noteBusy = () => {
    lastBusy = performance.now();
    isGiven = false;
  };
  const ends = (['call.changed', 'server.changed', 'catalog.changed'] as const).map((name) =>
    toolbox.on(name, noteBusy),
  );
  const timer = setInterval(() => {
    if (isGiven || performance.now() - lastBusy < wait) return;
    if (toolbox.stats().running > 0 || held() < left * worthwhile) return;
    collect();
    left = held();
    wait = quietMs;
    isGiven = true;
  }, Math.min(startMs, quietMs) / 4).unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      for (const end of ends) end();
    },
  };
}

/** The pause is for nothing where little has come together. */
const worthwhile = 1.5;

const heldBytes = () => process.memoryUsage().heapTotal;

function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined;
  gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
