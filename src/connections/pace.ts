import { setTimeout as wait } from 'node:timers/promises';

/** How fast messages that nobody asked for are taken from one server. */
export interface Pace {
  /** Counts one. */
  note(): void;
  /** True when there were so many that the rest should wait. */
  isSpent(): boolean;
  /** Resolves when more may be read. */
  turn(): Promise<void>;
}

export interface PaceOptions {
  /** Messages nobody asked for that are read without a pause; 250. */
  readonly burst?: number;
  /** More of them than this are left waiting where they are; 5 000. */
  readonly perSecond?: number;
}

/** How much is read before somebody looks whether that was enough. */
export const pieceBytes = 4_096;
/** How long reading stops when it was. */
export const pauseMs = 10;

/** A storm of notifications slows down the server that sends it, not the others. Answers cost nothing. */
export function createPace({ burst = 250, perSecond = 5_000 }: PaceOptions = {}): Pace {
  let allowance = burst;
  let countedAt = performance.now();

  function isSpent(): boolean {
    if (allowance > 0) return false;
    const now = performance.now();
    allowance = Math.min(burst, allowance + ((now - countedAt) * perSecond) / 1_000);
    countedAt = now;
    return allowance <= 0;
  }

  return {
    note() {
      allowance--;
    },
    isSpent,
    async turn() {
      while (isSpent()) await wait(pauseMs, undefined, { ref: false });
    },
  };
}
