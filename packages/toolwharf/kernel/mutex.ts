/** Runs one piece of work at a time, in the order of the calls. Work that fails does not stop the next. */
export type Mutex = <Value>(work: () => Value | Promise<Value>) => Promise<Value>;

/** Creates a mutex: `await mutex(() => change())`. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(() => work());
    last = next.catch(() => {});
    return next;
  };
}

/** Runs one piece of work at a time for each key, in the order of the calls. */
interface KeyedMutex {
  run<Value>(id: string, work: () => Promise<Value>): Promise<Value>;
  /** Resolves when no work is running or waiting. */
  idle(): Promise<void>;
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(id, work) {
      const turn = (tails.get(id) ?? Promise.resolve()).then(() => work());
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
