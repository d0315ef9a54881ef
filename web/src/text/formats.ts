import { language, locale } from './language.ts';
import { text } from './text.ts';

/** "1,204", in the user's locale. */
export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return value.toLocaleString(locale, options);
}

/** A date with its time, in the user's locale. */
export function formatTime(at: string | number | Date, options?: Intl.DateTimeFormatOptions): string {
  return new Date(at).toLocaleString(locale, options);
}

const steps = [
  [60, 'second', 1],
  [3_600, 'minute', 60],
  [86_400, 'hour', 3_600],
  [Number.POSITIVE_INFINITY, 'day', 86_400],
] as const;
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

/** "5 minutes ago", "in 2 days", "just now". */
export function formatAgo(at: number, now: number): string {
  const seconds = (at - now) / 1_000;
  if (Math.abs(seconds) < 10) return text.common.justNow;
  const [, unit, size] = steps.find(([limit]) => Math.abs(seconds) < limit) ?? steps[0];
  return relative.format(Math.round(seconds / size), unit);
}

/** "840 ms", "3.2 s", "30 s", "2 min 5 s". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const minimumFractionDigits = ms % 1_000 === 0 ? 0 : 1;
  if (ms < 60_000) return `${formatNumber(ms / 1_000, { minimumFractionDigits, maximumFractionDigits: 1 })} s`;
  return `${formatNumber(Math.floor(ms / 60_000))} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** A duration in the largest unit that is exact, in words: "90 days", "1.5 seconds"; short: "90 days", "1.5 sec". */
export function formatSpan(ms: number, unitDisplay: 'long' | 'short' = 'long'): string {
  if (ms < 1_000) return formatUnit(ms, 'millisecond', unitDisplay);
  const [, unit, size] = steps.findLast(([, , size]) => ms % (size * 1_000) === 0) ?? steps[0];
  return formatUnit(ms / (size * 1_000), unit, unitDisplay);
}

/** "840 bytes", "12 kB", "5.2 MB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return formatUnit(bytes, 'byte', 'long');
  if (bytes < 1_000_000) return formatUnit(Math.round(bytes / 1_000), 'kilobyte', 'short');
  return formatUnit(bytes / 1_000_000, 'megabyte', 'short', 1);
}

/** A configured size, exactly: "256 KiB", "1.5 MiB". */
export function formatBinaryBytes(bytes: number): string {
  if (bytes < 1_024) return formatUnit(bytes, 'byte', 'long');
  const isLarge = bytes >= 1_024 ** 2;
  const amount = formatNumber(bytes / (isLarge ? 1_024 ** 2 : 1_024), { maximumFractionDigits: 1 });
  return `${amount} ${isLarge ? 'MiB' : 'KiB'}`;
}

function formatUnit(value: number, unit: string, unitDisplay: 'long' | 'short', maximumFractionDigits = 3): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay, maximumFractionDigits }).format(value);
}
