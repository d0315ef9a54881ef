import { formatDuration, useNow } from '../../components/times.tsx';

/** When a server is tried again, counting down. */
export function NextTry({ at }: { readonly at: string }) {
  const now = useNow(1_000);
  const ms = Date.parse(at) - now;
  const text = ms < 1_000 ? 'Trying again now' : `Next try in ${formatWhole(ms)}`;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="whitespace-nowrap tabular-nums">
      {text}
    </time>
  );
}

function formatWhole(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1_000);
}
