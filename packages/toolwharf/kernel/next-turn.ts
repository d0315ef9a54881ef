// Browsers have no `setImmediate`.
const schedule = globalThis.setImmediate ?? globalThis.setTimeout;

/** Resolves when the event loop has done other work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void schedule(resolve));
}
