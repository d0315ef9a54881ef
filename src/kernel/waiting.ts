/** The promise, or the signal's reason if that comes first; the work itself goes on. */
export function abortable<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The promise, which keeps the process alive while it is waited for, though nothing else may. */
export async function keepingAlive<Value>(work: Promise<Value>): Promise<Value> {
  const hold = setInterval(() => {}, 60_000);
  return work.finally(() => clearInterval(hold));
}
