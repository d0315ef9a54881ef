import type { AbortSource } from './abort-source.ts';

/** Settles like the promise, or rejects with the signal's reason if the signal aborts first. The work itself continues. */
export function abortable<Value>(work: Promise<Value>, signal?: AbortSource): Promise<Value> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Settles with the promise or resolves after `ms`, whichever comes first. A rejection after that is ignored. */
export async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

let holds = 0;
let alive: NodeJS.Timeout | undefined;

/**
 * Keeps the process alive until `releaseProcess` is called as often. Connections to servers do not: a program ends when its own work
 * has ended.
 */
export function holdProcess(): void {
  if (holds++ > 0) return;
  alive ??= setInterval(() => {}, 2 ** 30);
  alive.ref();
}

export function releaseProcess(): void {
  if (--holds === 0) alive?.unref();
}

/** Keeps the process alive until the promise settles, even if nothing else does. */
export async function keepProcessAlive<Value>(work: Promise<Value>): Promise<Value> {
  holdProcess();
  return work.finally(releaseProcess);
}
