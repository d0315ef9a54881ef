import { parseDuration } from '../../../../contract/settings/durations.ts';
import { EvaluationError } from './errors.ts';
import { Duration, type EvaluationBudget, isNumber, keysOf, spend, Timestamp, toInt, typeOf } from './values.ts';

/** A function of a value: `text.startsWith(x)`. */
type Method = (target: unknown, args: readonly unknown[], budget: EvaluationBudget) => unknown;

interface Declared {
  readonly parameters: readonly [min: number, max: number];
  readonly run: Method;
}

const maxTextLength = 1_000_000;
const maxSplitItems = 10_000;

/** Functions that are called on a value. `matches` is compiled with its pattern. */
export const methods: ReadonlyMap<string, Declared> = new Map<string, Declared>([
  ['size', { parameters: [0, 0], run: (target, _, budget) => sizeOf(target, budget) }],
  ['startsWith', ofTexts((text, part) => text.startsWith(part))],
  ['endsWith', ofTexts((text, part) => text.endsWith(part))],
  ['contains', ofTexts((text, part) => text.includes(part))],
  ['lowerAscii', ofText((text) => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase()))],
  ['upperAscii', ofText((text) => text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase()))],
  ['trim', ofText((text) => text.trim())],
  ['split', { parameters: [1, 1], run: split }],
  ['join', { parameters: [0, 1], run: join }],
  ['replace', { parameters: [2, 2], run: replace }],
  ['getFullYear', ofTime((time) => time.year)],
  ['getMonth', ofTime((time) => time.month - 1)],
  ['getDate', ofTime((time) => time.day)],
  ['getDayOfMonth', ofTime((time) => time.day - 1)],
  ['getDayOfWeek', ofTime((time) => new Date(Date.UTC(time.year, time.month - 1, time.day)).getUTCDay())],
  ['getHours', ofTime((time) => time.hour, 3_600_000)],
  ['getMinutes', ofTime((time) => time.minute, 60_000)],
  ['getSeconds', ofTime((time) => time.second, 1_000)],
]);

/** Functions that are called by their name alone. */
export const functions: ReadonlyMap<string, Declared> = new Map<string, Declared>([
  ['size', { parameters: [1, 1], run: (_, [value], budget) => sizeOf(value, budget) }],
  ['int', ofValue(castInt)],
  ['double', ofValue(castDouble)],
  ['string', ofValue(castString)],
  ['duration', ofValue(toDuration)],
  ['timestamp', ofValue(toTimestamp)],
  ['type', ofValue(typeOf)],
]);

function ofValue(run: (value: unknown) => unknown): Declared {
  return {
    parameters: [1, 1],
    run(_, [value], budget) {
      if (typeof value === 'string') spend(budget, value.length / 64);
      return run(value);
    },
  };
}

function ofText(run: (text: string) => string): Declared {
  return {
    parameters: [0, 0],
    run(target, _, budget) {
      const text = textOf(target, 'the value');
      spend(budget, text.length / 16);
      return run(text);
    },
  };
}

function ofTexts(run: (text: string, part: string) => boolean): Declared {
  return {
    parameters: [1, 1],
    run(target, [part], budget) {
      const text = textOf(target, 'the value');
      const other = textOf(part, 'the argument');
      // The engine searches in linear time; short texts, the usual case, cost nothing.
      spend(budget, (text.length + other.length) / 64);
      return run(text, other);
    },
  };
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new EvaluationError(`${what} must be a string, not ${typeOf(value)}`);
}

function sizeOf(value: unknown, budget: EvaluationBudget): bigint {
  if (typeof value === 'string') {
    spend(budget, value.length / 16);
    let pairs = 0;
    for (let at = 1; at < value.length; at++)
      if ((value.charCodeAt(at) & 0xfc00) === 0xdc00 && (value.charCodeAt(at - 1) & 0xfc00) === 0xd800) pairs++;
    return BigInt(value.length - pairs);
  }
  if (Array.isArray(value)) return BigInt(value.length);
  if (typeOf(value) === 'map') return BigInt(keysOf(value).length);
  throw new EvaluationError(`${typeOf(value)} has no size`);
}

function split(target: unknown, [separator]: readonly unknown[], budget: EvaluationBudget): readonly string[] {
  const text = textOf(target, 'the value');
  spend(budget, text.length / 4);
  const parts = text.split(textOf(separator, 'the separator'), maxSplitItems + 1);
  if (parts.length > maxSplitItems) throw new EvaluationError(`split gives more than ${maxSplitItems} parts`);
  return parts;
}

function join(target: unknown, [separator = '']: readonly unknown[], budget: EvaluationBudget): string {
  if (!Array.isArray(target)) throw new EvaluationError(`${typeOf(target)} cannot be joined`);
  const between = textOf(separator, 'the separator');
  let length = 0;
  for (const item of target) {
    length += textOf(item, 'each item').length + between.length;
    spend(budget, 1);
    assertLength(length);
  }
  spend(budget, length / 16);
  return target.join(between);
}

function replace(target: unknown, args: readonly unknown[], budget: EvaluationBudget): string {
  const text = textOf(target, 'the value');
  const [part, by] = [textOf(args[0], 'the text to replace'), textOf(args[1], 'the replacement')];
  const most = part === '' ? text.length + 1 : text.length / part.length;
  assertLength(text.length + most * by.length);
  spend(budget, (text.length + most * by.length) / 16);
  return text.split(part).join(by);
}

/** Limits the texts that a condition builds. */
export function assertLength(length: number): void {
  if (length > maxTextLength) throw new EvaluationError(`the text has more than ${maxTextLength} characters`);
}

function castInt(value: unknown): bigint {
  if (typeof value === 'bigint') return toInt(value);
  if (typeof value === 'number' && Number.isFinite(value)) return toInt(BigInt(Math.trunc(value)));
  if (typeof value === 'string' && /^[+-]?\d{1,30}$/.test(value)) return toInt(BigInt(value.replace(/^\+/, '')));
  if (value instanceof Timestamp) return BigInt(Math.floor(value.ms / 1_000));
  throw new EvaluationError(`int() cannot convert this ${typeOf(value)}`);
}

function castDouble(value: unknown): number {
  if (isNumber(value)) return Number(value);
  if (typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value)) return Number(value);
  throw new EvaluationError(`double() cannot convert this ${typeOf(value)}`);
}

function castString(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isNumber(value) || typeof value === 'boolean') return String(value);
  if (value instanceof Timestamp) return new Date(value.ms).toISOString();
  throw new EvaluationError(`string() cannot convert ${typeOf(value)}`);
}

function toDuration(value: unknown): Duration {
  if (value instanceof Duration) return value;
  if (typeof value === 'string') {
    // Text of CEL, such as 1h30m.
    const parts = /^-?(?:\d+(?:\.\d+)?(?:d|h|ms|m|s))+$/.test(value) ? value.matchAll(/([\d.]+)(ms|[dhms])/g) : [];
    let ms: number | undefined;
    for (const [, amount, unit = ''] of parts) ms = (ms ?? 0) + Number(amount) * (unitMs[unit] ?? 0);
    if (ms !== undefined) return new Duration(value.startsWith('-') ? -ms : ms);
  }
  throw new EvaluationError(`duration() needs a string such as '90s', '24h' or '7d'`);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function toTimestamp(value: unknown): Timestamp {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return new Timestamp(Number(value) * 1_000);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)) {
    const ms = Date.parse(value);
    if (!Number.isNaN(ms)) return new Timestamp(ms);
  }
  throw new EvaluationError("timestamp() needs a string such as '2026-01-31T08:00:00Z'");
}

interface Clock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function ofTime(run: (clock: Clock) => number, unit?: number): Declared {
  return {
    parameters: [0, 1],
    run(target, [zone = 'UTC'], budget) {
      spend(budget, 20);
      if (target instanceof Duration && unit !== undefined) return BigInt(Math.trunc(target.ms / unit));
      if (!(target instanceof Timestamp)) throw new EvaluationError(`${typeOf(target)} is not a timestamp`);
      return BigInt(run(clockIn(target, textOf(zone, 'the time zone'))));
    },
  };
}

const zones = new Map<string, Intl.DateTimeFormat>();
const maxZones = 50;

function clockIn({ ms }: Timestamp, zone: string): Clock {
  if (zone === 'UTC') {
    const date = new Date(ms);
    return {
      ...{ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() },
      ...{ hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds() },
    };
  }
  const parts = new Map(
    zoneOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  return {
    ...{ year: part('year'), month: part('month'), day: part('day') },
    ...{ hour: part('hour'), minute: part('minute'), second: part('second') },
  };
}

function zoneOf(zone: string): Intl.DateTimeFormat {
  const known = zones.get(zone);
  if (known) return known;
  try {
    const numeric = 'numeric';
    const format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', calendar: 'gregory', numberingSystem: 'latn' },
      ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
    });
    if (zones.size >= maxZones) zones.clear();
    zones.set(zone, format);
    return format;
  } catch {
    throw new EvaluationError(`unknown time zone ${JSON.stringify(zone.slice(0, 60))}`);
  }
}

/** The length of a window such as '24h', in milliseconds; undefined if it is not written as durations of the configuration are. */
export function windowMs(text: string): number | undefined {
  try {
    const ms = parseDuration(text);
    return ms > 0 ? ms : undefined;
  } catch {
    return undefined;
  }
}
