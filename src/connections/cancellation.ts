/** The cancellation of one request: like an `AbortController`, at a fraction of its cost. */
export interface Cancellation {
  cancel(): void;
  isCancelled(): boolean;
  /** Runs the listener on cancellation, at once if that has happened already. It replaces the previous listener. */
  onCancel(listener: () => void): void;
}

// No getters here, nor in any other literal that is created for each call: V8 creates the function of a getter in the old generation,
// where it keeps what it closes over until a full collection.
export function createCancellation(): Cancellation {
  let isOver = false;
  let notify: (() => void) | undefined;
  return {
    cancel() {
      if (isOver) return;
      isOver = true;
      notify?.();
    },
    isCancelled: () => isOver,
    onCancel(listener) {
      notify = listener;
      if (isOver) listener();
    },
  };
}

/** A cancellation that follows the signal. */
export function toCancellation(signal: AbortSignal): Cancellation {
  const cancellation = createCancellation();
  if (signal.aborted) cancellation.cancel();
  else signal.addEventListener('abort', cancellation.cancel, { once: true });
  return cancellation;
}
