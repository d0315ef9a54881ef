import { createMutex } from '../../../toolwharf/kernel/mutex.ts';

/** Gives one prompt at a time exclusive use of the terminal. While a prompt has the lock, answers are not printed. */
export interface TerminalLock {
  readonly isHeld: boolean;
  /** Runs the work with the lock. */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Calls the listener whenever the lock becomes free; returns the function that removes it. */
  onRelease(listener: () => void): () => void;
}

/** Creates the lock of one terminal. */
export function createTerminalLock(): TerminalLock {
  const listeners = new Set<() => void>();
  const mutex = createMutex();
  let waiting = 0;
  return {
    get isHeld() {
      return waiting > 0;
    },
    async run(work) {
      waiting++;
      try {
        return await mutex(work);
      } finally {
        waiting--;
        if (waiting === 0) for (const listener of [...listeners]) listener();
      }
    },
    onRelease(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
