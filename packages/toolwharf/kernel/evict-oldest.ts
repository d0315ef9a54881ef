/** Removes the entries that were added first until the collection holds at most `maxSize`. */
export function evictOldest<Key>(collection: Map<Key, unknown> | Set<Key>, maxSize: number): void {
  for (const key of collection.keys()) {
    if (collection.size <= maxSize) return;
    collection.delete(key);
  }
}
