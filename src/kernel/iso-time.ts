let last = Number.NaN;
let text = '';

/** A time in milliseconds as ISO text. Under load many ask for the same one, and writing it costs more than comparing. */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== last) {
    text = new Date(milliseconds).toISOString();
    last = milliseconds;
  }
  return text;
}
