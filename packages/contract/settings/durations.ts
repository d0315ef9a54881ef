import { ToolwharfError } from '../errors.ts';

/** The maximum delay of a timer. */
export const longestMs = 2_147_483_647;

/**
 * Parses an ISO 8601 duration (`PT1M`, `P0DT0H0M30S`, `P2W`), a text such as `500ms`, `30s`, `1.5s`, `2m`, `1h` or
 * `1d`, or a number of milliseconds. Returns milliseconds. Throws `CONFIG_INVALID` with the reason for any other value.
 */
export function parseDuration(value: string | number): number {
  const reading = readDuration(value);
  if ('reason' in reading) throw new ToolwharfError('CONFIG_INVALID', `not a duration: ${reading.reason}`);
  return reading.ms;
}

export type DurationReading = { readonly ms: number } | { readonly reason: string };

/** Like `parseDuration`, but returns the reason instead of throwing. */
export function readDuration(value: string | number): DurationReading {
  if (typeof value === 'number') return whole(value);
  const text = value.trim();
  if (text.startsWith('P')) return readIso(text);
  const simple = /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/.exec(text);
  if (simple?.[1] && simple[2]) return whole(Number(simple[1]) * msOf(simple[2]));
  if (/^\d+(?:\.\d+)?$/.test(text)) return { reason: `the text needs a unit, such as ${text}s or ${text}ms` };
  return { reason: 'write 30s, 500ms, 2m, 1h, or ISO-8601 such as PT30S' };
}

/** Formats a duration in the largest unit that gives a whole number: `30s`, `5m`, `90d`. */
export function durationText(ms: number): string {
  const unit = (['d', 'h', 'm', 's'] as const).find((candidate) => ms >= msOf(candidate) && ms % msOf(candidate) === 0);
  return unit ? `${ms / msOf(unit)}${unit}` : `${ms}ms`;
}

/** Converts a number of seconds to milliseconds. Returns any other value unchanged, for the schema to check. */
export function secondsAsMs(value: unknown): unknown {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value * 1000) : value;
}

function readIso(text: string): DurationReading {
  if (/^P\d+(?:[.,]\d+)?[YM]/.test(text)) {
    return { reason: 'years and months have no fixed length; use weeks, days, hours (PT1M is one minute)' };
  }
  const weeks = /^P(\d+)W$/.exec(text);
  if (weeks?.[1]) return whole(Number(weeks[1]) * 7 * msOf('d'));
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/.exec(text);
  if (!match) return { reason: 'not ISO-8601: each number needs its letter, as in P1DT2H3M4S' };
  const [, days, hours, minutes, seconds] = match;
  if (text.endsWith('T')) return { reason: 'not ISO-8601: a time must follow T' };
  if (!days && !hours && !minutes && !seconds) return { reason: 'not ISO-8601: P needs at least one number' };
  return whole(
    Number(days ?? 0) * msOf('d') +
      Number(hours ?? 0) * msOf('h') +
      Number(minutes ?? 0) * msOf('m') +
      Number((seconds ?? '0').replace(',', '.')) * msOf('s'),
  );
}

function whole(ms: number): DurationReading {
  const rounded = Math.round(ms);
  if (!(rounded >= 0)) return { reason: 'must be positive' };
  return Number.isSafeInteger(rounded) ? { ms: rounded } : { reason: 'is too long' };
}

function msOf(unit: string): number {
  if (unit === 'ms') return 1;
  if (unit === 's') return 1000;
  if (unit === 'm') return 60_000;
  return unit === 'h' ? 3_600_000 : 86_400_000;
}
