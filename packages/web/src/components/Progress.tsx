import { safeText } from './safe-text.ts';

export interface ProgressProps {
  readonly progress: { readonly progress: number; readonly total?: number; readonly message?: string };
}

/** The progress that a running call reports. Without a total the bar is indeterminate. */
export function Progress({ progress: { progress, total, message } }: ProgressProps) {
  const share = total !== undefined && total > 0 ? Math.max(0, Math.min(1, progress / total)) : undefined;
  return (
    <div className="flex flex-col gap-1">
      <div
        role="progressbar"
        aria-label="Progress"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === undefined ? undefined : Math.round(share * 100)}
        className="h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div
          className={share === undefined ? 'h-full w-full animate-pulse-soft bg-accent' : 'h-full bg-accent'}
          style={share === undefined ? undefined : { width: `${share * 100}%` }}
        />
      </div>
      <p className="text-xs break-words text-ink-soft tabular-nums">
        {[amountOf(progress, total, message), message !== undefined && safeText(message, 300)]
          .filter((part) => part !== false && part !== undefined)
          .join(' · ')}
      </p>
    </div>
  );
}

/** Undefined for messages of the gateway, which count nothing. */
function amountOf(progress: number, total?: number, message?: string): string | undefined {
  const amount = formatAmount(progress);
  if (total !== undefined) return `${amount} of ${formatAmount(total)}`;
  return amount === '0' && message !== undefined ? undefined : amount;
}

function formatAmount(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Math.round(value * 1_000) / 1_000);
}
