/** Lets one at a time do something about the same thing; others wait in line. */
export interface Lanes {
  run<Value>(id: string, work: () => Promise<Value>): Promise<Value>;
  /** Resolves when nobody does or waits for anything. */
  idle(): Promise<void>;
}

export function createLanes(): Lanes {
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
