/** The time since then: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function ago(time: string, now = Date.now()): string {
  return `${span(now - Date.parse(time))} ago`.replace(/^0 s ago$/, 'just now');
}

/** The time until then: `in 5 min`; `now` if it has passed. */
export function until(time: string, now = Date.now()): string {
  const ms = Date.parse(time) - now;
  return ms <= 0 ? 'now' : `in ${span(ms)}`;
}

function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}
