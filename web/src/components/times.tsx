import { useEffect, useState } from 'react';

/** The current time, updated every `everyMs`. */
export function useNow(everyMs: number, active = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!active) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, active]);
  return now;
}

const steps = [
  [60, 'second', 1],
  [3_600, 'minute', 60],
  [86_400, 'hour', 3_600],
  [Number.POSITIVE_INFINITY, 'day', 86_400],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "5 minutes ago", with the exact time on hover. */
export function TimeAgo({ at }: { readonly at: string }) {
  const now = useNow(30_000);
  const seconds = (Date.parse(at) - now) / 1_000;
  const [, unit, size] = steps.find(([limit]) => Math.abs(seconds) < limit) ?? steps[0];
  const text = Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.round(seconds / size), unit);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="whitespace-nowrap">
      {text}
    </time>
  );
}

/** "840 ms", "3.2 s", "2 min 5 s". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** The time between two moments, or from one until now. */
export function Duration({ from, to }: { readonly from: string; readonly to?: string }) {
  const now = useNow(100, to === undefined);
  const ms = Math.max(0, (to === undefined ? now : Date.parse(to)) - Date.parse(from));
  return <span className="tabular-nums whitespace-nowrap">{formatDuration(ms)}</span>;
}
