import { setImmediate as nextTurn } from 'node:timers/promises';

/** Group commit: writes that arrive during a commit share the next one. */
export interface GroupCommit<Item> {
  /** Resolves when the item is committed, rejects when its commit failed. */
  add(item: Item): Promise<void>;
  /** Resolves when no write is pending. */
  idle(): Promise<void>;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** `commit` gets up to 1 000 items in order and never runs twice at once. */
export function createGroupCommit<Item>(
  commit: (items: readonly Item[]) => Promise<void>,
  { maxItems = 1_000 }: { readonly maxItems?: number } = {},
): GroupCommit<Item> {
  const waiting: Waiting<Item>[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxItems);
      try {
        await commit(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (cause) {
        for (const { reject } of batch) reject(cause);
      }
      // Those that write again in the same turn of the event loop share the next commit.
      await nextTurn();
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
