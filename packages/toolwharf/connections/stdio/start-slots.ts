import { abortable } from '../../kernel/wait.ts';

/** Limits how many programs start at the same time. */
export interface StartSlots {
  /** Resolves when the program may start. Disposed when it has started, or has failed to. */
  take(signal: AbortSignal): Promise<Disposable>;
}

interface Waiting {
  readonly signal: AbortSignal;
  start(): void;
}

/** A program that takes longer does not delay the others any more: it may hang, or install a package. */
const maxHoldMs = 10_000;

export function createStartSlots(max: () => number): StartSlots {
  const queue: Waiting[] = [];
  let starting = 0;

  function startNext(): void {
    while (starting < max() && queue.length > 0) {
      const next = queue.shift();
      if (next && !next.signal.aborted) next.start();
    }
  }

  function createSlot(): Disposable {
    starting++;
    let isHeld = true;
    const release = () => {
      clearTimeout(timer);
      if (!isHeld) return;
      isHeld = false;
      starting--;
      startNext();
    };
    const timer = setTimeout(release, maxHoldMs).unref();
    return { [Symbol.dispose]: release };
  }

  return {
    async take(signal) {
      signal.throwIfAborted();
      const turn = Promise.withResolvers<Disposable>();
      queue.push({ signal, start: () => turn.resolve(createSlot()) });
      startNext();
      try {
        return await abortable(turn.promise, signal);
      } catch (cause) {
        // The turn may have come together with the end of the wait.
        void turn.promise.then((slot) => slot[Symbol.dispose]());
        throw cause;
      }
    },
  };
}
