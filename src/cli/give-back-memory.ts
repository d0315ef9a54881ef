import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Toolbox } from '../toolbox.ts';

export interface GiveBackMemoryOptions {
  readonly toolbox: Pick<Toolbox, 'on' | 'stats'>;
  /** How long nothing must have happened; 2 000. */
  readonly quietMs?: number;
  /** At most this often; 10 000. */
  readonly everyMs?: number;
  /** How many bytes V8 holds. */
  readonly held?: () => number;
  /** What gives it back; V8's most thorough collection. */
  readonly collect?: () => void;
}

/**
 * Starting, or an hour of work, leaves V8 with far more room than what is in it, and by itself it keeps that for as long as nothing
 * happens. Now and then, when nothing runs, the room goes back to the system; the pause falls where nobody waits.
 */
export function giveBackMemory(options: GiveBackMemoryOptions): Disposable {
  const { toolbox, quietMs = 2_000, everyMs = 10_000, held = heldBytes, collect = collectAll } = options;
  let lastBusy = performance.now();
  let lastGiven = Number.NEGATIVE_INFINITY;
  let left = 0;
  const noteBusy = () => {
    lastBusy = performance.now();
  };
  const ends = (['call.changed', 'server.changed', 'catalog.changed'] as const).map((name) =>
    toolbox.on(name, noteBusy),
  );
  const timer = setInterval(() => {
    const now = performance.now();
    if (lastGiven > lastBusy || now - lastBusy < quietMs || now - lastGiven < everyMs) return;
    if (toolbox.stats().running > 0 || held() < left * worthwhile) return;
    collect();
    left = held();
    lastGiven = performance.now();
  }, quietMs / 4).unref();
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
