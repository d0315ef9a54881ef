/** Runs one piece of work at a time for each key, in the order of the calls. */
export interface KeyedMutex {
  run<Value>(id: string, work: () => Promise<Value>): Promise<Value>;
  /** Resolves when no work is running or waiting. */
  idle(): Promise<void>;
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(id, work) {
      const turn = (tails.get(id) ?? Promise.resolve()).then(work);
      const tail = turn
        .catch(() => {})
        .finally(() => {
          if (tails.get(id) === tail) tails.delete(id);
        });
      tails.set(id, tail);
      return turn;
    },
    async idle() {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
}
