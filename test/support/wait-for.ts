import { setTimeout as sleep } from 'node:timers/promises';

/** How long tests wait for anything before they give up. Only a real hang takes this long, even on a busy machine. */
export const patienceMs = 120_000;

export interface WaitOptions {
  /** The condition in words, for the error message. */
  readonly what?: string | (() => string);
  /** Only for conditions that need longer than `patienceMs` even on an idle machine. */
  readonly timeoutMs?: number;
}

/** Polls until the predicate returns a truthy value and returns it; throws an error that names `what` after two minutes. */
export async function waitFor<Value>(
  predicate: () => Value | Promise<Value>,
  { what = 'the condition', timeoutMs = patienceMs }: WaitOptions = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  // Longer and longer pauses: what takes long needs no quick answer, and polling takes the processor from what it waits for.
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.2, 100)) {
    const value = await predicate();
    if (value) return value;
    if (performance.now() > deadline) {
      throw new Error(`Gave up after ${timeoutMs / 1_000} s waiting for ${typeof what === 'string' ? what : what()}`);
    }
    await sleep(pauseMs);
  }
}
