import { useQueryClient } from '@tanstack/react-query';
import { Hourglass } from 'lucide-react';
import { useEffect } from 'react';
import { formatSpan, formatTime } from '../../text/formats.ts';
import { classNames } from '../class-names.ts';
import { useNow } from '../times.tsx';

export interface TimeLeftProps {
  readonly until: string;
  /** The query to refetch on expiry. */
  readonly queryKey: 'approvals' | 'questions';
}

/** Counts down to the expiry. Then it refetches until the gateway, whose clock decides, has expired the item. */
export function TimeLeft({ until, queryKey }: TimeLeftProps) {
  const client = useQueryClient();
  const now = useNow(1_000);
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - now) / 1_000));
  const isOver = seconds === 0;
  useEffect(() => {
    if (!isOver) return undefined;
    const refetch = () => void client.invalidateQueries({ queryKey: [queryKey] });
    refetch();
    const timer = setInterval(refetch, 2_000);
    return () => clearInterval(timer);
  }, [isOver, client, queryKey]);
  return (
    <span
      role="timer"
      title={formatTime(until)}
      className={classNames(
        'inline-flex items-center gap-1 text-xs whitespace-nowrap tabular-nums',
        seconds < 60 ? 'font-semibold text-warn' : 'text-ink-faint',
      )}
    >
      <Hourglass aria-hidden className="size-3" />
      {isOver ? 'Expired' : `${formatSeconds(seconds)} left`}
    </span>
  );
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return formatSpan(Math.floor(seconds / 86_400) * 86_400_000);
}
