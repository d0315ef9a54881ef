import { useEffect, useState } from 'react';
import { formatAgo, formatDuration, formatTime } from '../text/formats.ts';

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

/** "5 minutes ago", with the exact time on hover. */
export function TimeAgo({ at }: { readonly at: string }) {
  const now = useNow(30_000);
  return (
    <time dateTime={at} title={formatTime(at)} className="whitespace-nowrap">
      {formatAgo(Date.parse(at), now)}
    </time>
  );
}

/** The time between two moments, or from one until now. */
export function Duration({ from, to }: { readonly from: string; readonly to?: string }) {
  const now = useNow(100, to === undefined);
  const ms = Math.max(0, (to === undefined ? now : Date.parse(to)) - Date.parse(from));
  return <span className="tabular-nums whitespace-nowrap">{formatDuration(ms)}</span>;
}
