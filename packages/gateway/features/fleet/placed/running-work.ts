/** Work that has begun and not ended. */
export interface RunningWork {
  add<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves when none runs, including work that begins meanwhile. */
  ended(): Promise<void>;
}

export function createRunningWork(): RunningWork {
  const running = new Set<Promise<unknown>>();
  return {
    async add(work) {
      running.add(work);
      try {
        return await work;
      } finally {
        running.delete(work);
      }
    },
    async ended() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
