import { isRawNumber, type RawNumber } from '../../../../contract/exact-json.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { safeText } from '../safe-text.ts';
import type { FormSchema } from './form-schema.ts';

const formats: Readonly<Record<string, string>> = {
  date: 'date',
  'date-time': 'date and time',
  time: 'time',
  email: 'email address',
  uri: 'URI',
  uuid: 'UUID',
  ipv4: 'IPv4 address',
  ipv6: 'IPv6 address',
  hostname: 'host name',
};

const lists: Readonly<Record<string, string>> = {
  enum: 'list of choices',
  string: 'list of texts',
  number: 'list of numbers',
  integer: 'list of whole numbers',
  object: 'list of objects',
  array: 'list of lists',
};

const kinds = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'object',
  array: 'list',
  null: 'null',
};

/** Names the type of value that a schema describes. */
export function describeKind(schema: FormSchema): string {
  const { type, format, const: constant, items, properties } = schema;
  if (constant !== undefined) return safeText(JSON.stringify(constant), 60);
  if (schema.enum) return 'choice';
  if (type === 'string' && format !== undefined) return formats[format] ?? 'text';
  if (type === 'array') return describeList(items);
  if (type === 'object') {
    const names = Object.keys(properties ?? {});
    if (names.length > 0) return `object with ${safeText(names.slice(0, 3).join(', '), 60)}`;
  }
  return type === undefined ? 'any value' : kinds[type];
}

function describeList(items: FormSchema['items']): string {
  if (!items || Array.isArray(items)) return 'list';
  const item = items as FormSchema;
  return lists[item.enum ? 'enum' : String(item.type)] ?? 'list';
}

/** Describes the limits of a value; empty where there are none. */
export function describeBounds(schema: FormSchema): string {
  const { exclusiveMinimum, exclusiveMaximum, multipleOf, uniqueItems, 'x-pattern': pattern } = schema;
  const parts = [
    range(schema.minimum, schema.maximum),
    isNumber(exclusiveMinimum) && `more than ${formatNumber(exclusiveMinimum)}`,
    isNumber(exclusiveMaximum) && `less than ${formatNumber(exclusiveMaximum)}`,
    isNumber(multipleOf) && toNumber(multipleOf) !== 1 && `a multiple of ${formatNumber(multipleOf)}`,
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    uniqueItems === true && 'no item twice',
    pattern !== undefined && `matches ${pattern}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** `unit`: of an amount that cannot be negative. */
function range(minimum: unknown, maximum: unknown, unit?: string): string | undefined {
  const amount = (value: number | RawNumber) =>
    unit !== undefined && !isRawNumber(value) ? plural(value, unit) : formatNumber(value);
  const isAboveZero = isNumber(minimum) && toNumber(minimum) > 0;
  if (isAboveZero && isNumber(maximum))
    return toNumber(minimum) === toNumber(maximum)
      ? `exactly ${amount(minimum)}`
      : `${formatNumber(minimum)} to ${amount(maximum)}`;
  if (isNumber(maximum))
    return isNumber(minimum) && unit === undefined
      ? `${formatNumber(minimum)} to ${amount(maximum)}`
      : `at most ${amount(maximum)}`;
  if (isNumber(minimum) && (isAboveZero || unit === undefined)) return `at least ${amount(minimum)}`;
  return undefined;
}

function isNumber(value: unknown): value is number | RawNumber {
  return typeof value === 'number' || isRawNumber(value);
}

function toNumber(value: number | RawNumber): number {
  return isRawNumber(value) ? Number(value.rawJSON) : value;
}
