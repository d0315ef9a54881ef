import type { RecordStore, Stored } from '../../../toolwharf/storage/ports/record-store.ts';

/**
 * Replaces a record by the result of `change`, which gets the record as it is when it is replaced, perhaps more than once. Returns
 * undefined if there is none with this id, or if the result is undefined.
 */
export async function modifyRecord<Item>(
  store: Pick<RecordStore<Item>, 'get' | 'replace'>,
  id: string,
  change: (current: Item) => Item | undefined,
): Promise<Stored<Item> | undefined> {
  for (;;) {
    const current = await store.get(id);
    const changed = current && change(withoutRevision(current));
    if (!current || !changed) return undefined;
    const stored = await store.replace(changed, current.revision);
    if (stored) return stored;
  }
}

/** The record without its revision. */
export function withoutRevision<Item>({ revision: _, ...item }: Stored<Item>): Item {
  return item as unknown as Item;
}
