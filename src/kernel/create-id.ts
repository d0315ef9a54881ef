import { randomUUID } from 'node:crypto';

/** A UUID of version 7: later ones sort after earlier ones, so that an index of them grows at its end and not all over. */
export function createId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
