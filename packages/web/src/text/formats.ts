import { isRawNumber, type RawNumber } from '../../../contract/exact-json.ts';

/** "1,204", in the user's locale. */
export function formatNumber(value: number | RawNumber, options?: Intl.NumberFormatOptions): string {
  if (!isRawNumber(value)) return value.toLocaleString(locale, options);
  return new Intl.NumberFormat(locale, options).format(value.rawJSON as Intl.StringNumericLiteral);
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
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "5 minutes ago", "in 2 days", "just now". */
export function formatAgo(at: number, now: number): string {
  const seconds = (at - now) / 1_000;
  if (Math.abs(seconds) < 10) return 'just now';
  const [, unit, size] = steps.find(([limit]) => Math.abs(seconds) < limit) ?? steps[0];
  return relative.format(Math.round(seconds / size), unit);
}

/** "840 ms", "3.2 s", "30 s", "2 min", "2 min 5 s", "1 h 30 min". */
export function formatDuration(ms: number): string {
  const wholeMs = Math.round(ms);
  if (wholeMs < 1_000) return `${wholeMs} ms`;
  const tenths = Math.round(ms / 100);
  const minimumFractionDigits = ms % 1_000 === 0 ? 0 : 1;
  if (tenths < 600) return `${formatNumber(tenths / 10, { minimumFractionDigits })} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return joinUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(ms / 60_000);
  return joinUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

/** "2 min 5 s", or "2 min" without a remainder. */
function joinUnits(amount: number, unit: string, remainder: number, smallerUnit: string): string {
  return `${formatNumber(amount)} ${unit}${remainder === 0 ? '' : ` ${remainder} ${smallerUnit}`}`;
}

/** "p95 120 ms". Of fewer than 20 calls it is the longest duration: "max 120 ms"; of one call it is the duration. */
export function formatP95(calls: number, p95Ms: number): string {
  const duration = formatDuration(p95Ms);
  if (calls === 1) return duration;
  return calls < 20 ? `max ${duration}` : `p95 ${duration}`;
}

/** A duration in the largest unit that is exact, in words: "90 days", "1.5 seconds". */
export function formatSpan(ms: number): string {
  if (ms < 1_000) return formatUnit(ms, 'millisecond', 'long');
  const [, unit, size] = steps.findLast(([, , size]) => ms % (size * 1_000) === 0) ?? steps[0];
  return formatUnit(ms / (size * 1_000), unit, 'long');
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
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay, maximumFractionDigits }).format(value);
}

/** The locale of dates and numbers: the browser's. */
const locale = (typeof navigator === 'undefined' ? [] : navigator.languages).find(isLocale) ?? 'en';

/** False for the "en-US@posix" of some systems, which `Intl` rejects. */
function isLocale(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}
