let last = Number.NaN;
let text = '';

/** A time in milliseconds as ISO text. The last one is cached: under load many callers format the same millisecond. */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== last) {
    text = new Date(milliseconds).toISOString();
    last = milliseconds;
  }
  return text;
}
