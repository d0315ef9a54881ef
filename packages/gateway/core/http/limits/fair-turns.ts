/** Lets expensive work begin one after the other, callers in turn, with pauses in which other requests are served. */
export interface FairTurns {
  /** Resolves when the work may begin. `costMs` is the processor time that it is expected to take. */
  take(caller: string, costMs: number): Promise<void>;
}

/**
 * The time until the next work begins. Expensive work takes a third of the processor's time at most, and less the longer other
 * requests wait for it: work of 40 ms begins twice a second, so that few of them do.
 */
function spacingMs(costMs: number): number {
  return Math.max(3 * costMs, costMs ** 2 / 4);
}

interface Turn {
  readonly costMs: number;
  readonly begin: () => void;
}

export function createFairTurns(): FairTurns {
  // The first caller is next.
  const waiting = new Map<string, Turn[]>();
  let isTaken = false;

  function beginNext(): void {
    const [next] = waiting;
    if (!next) {
      isTaken = false;
      return;
    }
    const [caller, turns] = next;
    const turn = turns.shift();
    waiting.delete(caller);
    if (turns.length > 0) waiting.set(caller, turns);
    isTaken = true;
    turn?.begin();
    setTimeout(beginNext, spacingMs(turn?.costMs ?? 0)).unref();
  }

  return {
    take(caller, costMs) {
      return new Promise((begin) => {
        const turns = waiting.get(caller);
        if (turns) turns.push({ costMs, begin });
        else waiting.set(caller, [{ costMs, begin }]);
        if (!isTaken) beginNext();
      });
    },
  };
}
