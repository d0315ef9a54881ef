import { messageOf } from '../../../contract/errors.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { touchPrecisionMs } from '../../../toolwharf/storage/ports/key-store.ts';

export interface LastUseOptions {
  readonly store: { touch(id: string, at: string): Promise<void> };
  readonly log: Log;
  /** The noun in the warning: `the last use of a key`. */
  readonly what: string;
  readonly now?: () => number;
}

/** Returns a function that records the use of an id, at most once per minute, which is the precision of the stores. */
export function createLastUse({ store, log, what, now = Date.now }: LastUseOptions): (id: string) => void {
  const touched = new Map<string, number>();
  return (id) => {
    const at = now();
    if (at - (touched.get(id) ?? 0) < touchPrecisionMs) return;
    touched.set(id, at);
    store
      .touch(id, new Date(at).toISOString())
      .catch((cause) => log.warning('auth.touch-failed', `Could not record ${what}: ${messageOf(cause)}`));
  };
}
