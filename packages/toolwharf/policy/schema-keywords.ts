import { toDecimal } from '../kernel/decimal.ts';
import { isRawNumber } from '../kernel/exact-json.ts';

/** Formats that are checked, with the validator's name for them and the text for the error message. */
export const assertedFormats: ReadonlyMap<string, { readonly check: string; readonly expected: string }> = new Map([
  ['date', { check: 'date', expected: 'a date such as 2026-01-31' }],
  ['date-time', { check: 'date-time', expected: 'a date-time with offset such as 2026-01-31T08:30:00Z' }],
  ['email', { check: 'idn-email', expected: 'an email address' }],
  ['idn-email', { check: 'idn-email', expected: 'an email address' }],
  ['hostname', { check: 'idn-hostname', expected: 'a host name' }],
  ['ipv4', { check: 'ipv4', expected: 'an IPv4 address' }],
  ['ipv6', { check: 'ipv6', expected: 'an IPv6 address' }],
  ['json-pointer', { check: 'json-pointer', expected: 'a JSON pointer' }],
  // Most servers with `uri` accept what a browser accepts; the strict ASCII form would reject too much.
  ['uri', { check: 'iri', expected: 'an absolute URI' }],
  ['iri', { check: 'iri', expected: 'an absolute URI' }],
  ['uri-reference', { check: 'iri-reference', expected: 'a URI or relative reference' }],
  ['uuid', { check: 'uuid', expected: 'a UUID' }],
  // `time` and `duration` are not checked: common schema generators use them for other notations.
]);

const maxCount = 2 ** 29;

/** Keywords with one number that are copied, with a check of that number. */
export const numberKeywords: ReadonlyMap<string, (value: unknown) => value is number> = new Map([
  ...[
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'minContains',
    'maxContains',
  ].map((keyword) => [keyword, isCount] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((keyword) => [keyword, isNumber] as const),
  ['multipleOf', isPositive] as const,
]);

const typeNames: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

export function isTypeName(value: unknown): value is string {
  return typeNames.has(value);
}

export function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Larger counts have no effect, since arguments are bounded. */
function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxCount;
}

/** Also for numbers that JavaScript has no value for, with which only schemas for exact numbers compare. */
function isNumber(value: unknown): value is number {
  return Number.isFinite(value) || (isRawNumber(value) && toDecimal(value) !== undefined);
}

function isPositive(value: unknown): value is number {
  return isNumber(value) && (toDecimal(value)?.digits ?? 0n) > 0n;
}
