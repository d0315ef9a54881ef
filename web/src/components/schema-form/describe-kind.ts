import { safeText } from '../safe-text.ts';
import type { FormSchema } from './form-schema.ts';

const kinds = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'object',
  array: 'list',
  null: 'null',
};

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

/** Names the type of value that a schema describes. */
export function describeKind(schema: FormSchema): string {
  const { type, format, const: constant, items, properties } = schema;
  if (constant !== undefined) return safeText(JSON.stringify(constant), 60);
  if (schema.enum) return 'choice';
  if (type === 'string' && format !== undefined) return formats[format] ?? kinds.string;
  if (type === 'array') return describeList(items);
  if (type === 'object') {
    const names = Object.keys(properties ?? {});
    if (names.length > 0) return `object with ${safeText(names.slice(0, 3).join(', '), 60)}`;
  }
  return type === undefined ? 'any value' : kinds[type];
}

function describeList(items: FormSchema['items']): string {
  if (!items || Array.isArray(items)) return kinds.array;
  const item = items as FormSchema;
  if (item.enum) return 'list of choices';
  const plurals = { string: 'texts', number: 'numbers', integer: 'whole numbers', object: 'objects', array: 'lists' };
  const plural = Object.entries(plurals).find(([type]) => type === item.type)?.[1];
  return plural === undefined ? kinds.array : `list of ${plural}`;
}

/** Describes the limits of a value; empty where there are none. */
export function describeBounds(schema: FormSchema): string {
  const parts = [
    range(schema.minimum, schema.maximum, ''),
    typeof schema.exclusiveMinimum === 'number' && `more than ${schema.exclusiveMinimum}`,
    typeof schema.exclusiveMaximum === 'number' && `less than ${schema.exclusiveMaximum}`,
    typeof schema.multipleOf === 'number' && schema.multipleOf !== 1 && `a multiple of ${schema.multipleOf}`,
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    schema.uniqueItems === true && 'no item twice',
    schema['x-pattern'] !== undefined && `matches ${schema['x-pattern']}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function range(minimum: unknown, maximum: unknown, unit: string): string | undefined {
  const counted = (count: number) => (unit === '' ? `${count}` : `${count} ${unit}${count === 1 ? '' : 's'}`);
  if (typeof minimum === 'number' && minimum > 0 && typeof maximum === 'number') {
    return minimum === maximum ? `exactly ${counted(minimum)}` : `${minimum} to ${counted(maximum)}`;
  }
  if (typeof maximum === 'number')
    return typeof minimum === 'number' && unit === '' ? `${minimum} to ${maximum}` : `at most ${counted(maximum)}`;
  if (typeof minimum === 'number' && (minimum > 0 || unit === '')) return `at least ${counted(minimum)}`;
  return undefined;
}
