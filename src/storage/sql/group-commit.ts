import { setImmediate as nextTurn } from 'node:timers/promises';

/** Writes that share commits: all that come while one runs go into the next. */
export interface GroupCommit<Item> {
  /** Resolves once the commit that holds the item is done, rejects when it failed; the next one starts afresh. */
  add(item: Item): Promise<void>;
  /** Resolves when nothing is being written any more. */
  idle(): Promise<void>;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** `commit` gets the items in the order they came, 1 000 at most, and is never run twice at once. */
export function createGroupCommit<Item>(
  commit: (items: readonly Item[]) => Promise<void>,
  { maxItems = 1_000 }: { readonly maxItems?: number } = {},
): GroupCommit<Item> {
  const waiting: Waiting<Item>[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      // What the other sockets brought in this turn goes along.
      await nextTurn();
      const batch = waiting.splice(0, maxItems);
      try {
        await commit(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (cause) {
        for (const { reject } of batch) reject(cause);
      }
    }
    running = undefined;
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= run();
      }),
    async idle() {
      await running;
    },
  };
}
