/** Runs one piece of work at a time, in the order of the calls. Work that fails does not stop the next. */
export type Mutex = <Value>(work: () => Value | Promise<Value>) => Promise<Value>;

/** Creates a mutex: `await mutex(() => change())`. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
