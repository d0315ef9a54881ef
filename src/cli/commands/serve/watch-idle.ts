/** Aborts when a gateway that was started for one client has had no connection for a while. */
export function watchIdle(
  connections: () => Promise<number>,
  { idleMs = 60_000, pollMs = 5_000 }: { readonly idleMs?: number; readonly pollMs?: number } = {},
): Disposable & { readonly signal: AbortSignal } {
  const idle = new AbortController();
  let lastUsed = performance.now();
  const timer = setInterval(async () => {
    if ((await connections().catch(() => 1)) > 0) lastUsed = performance.now();
    else if (performance.now() - lastUsed >= idleMs) idle.abort();
  }, pollMs);
  return { signal: idle.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
