/** A UUID of version 7: it starts with the time, so that new rows go to the end of an index. */
export function createId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
