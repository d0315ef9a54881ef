import { createMutex } from '../../../kernel/mutex.ts';

/** Who has the terminal: the answer that is being written, or one question at a time. */
export interface Floor {
  readonly isTaken: boolean;
  /** Does the work as soon as nobody else has it. Whoever writes of their own accord waits until it is free. */
  take<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Called each time nobody has it any more. Returns the function that ends that. */
  onFree(listener: () => void): () => void;
}

export function createFloor(): Floor {
  const listeners = new Set<() => void>();
  const mutex = createMutex();
  let taken = 0;

  return {
    get isTaken() {
      return taken > 0;
    },
    async take(work) {
      taken++;
      try {
        return await mutex(work);
      } finally {
        taken--;
        if (taken === 0) for (const listener of [...listeners]) listener();
      }
    },
    onFree(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
