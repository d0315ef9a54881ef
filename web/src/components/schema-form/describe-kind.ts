import { formatNumber } from '../../text/formats.ts';
import { text } from '../../text/text.ts';
import { safeText } from '../safe-text.ts';
import type { FormSchema } from './form-schema.ts';

const texts = text.schemaForm.describeKind;
const formats: Readonly<Record<string, string>> = texts.formats;
const lists: Readonly<Record<string, string>> = texts.lists;

/** Names the type of value that a schema describes. */
export function describeKind(schema: FormSchema): string {
  const { type, format, const: constant, items, properties } = schema;
  if (constant !== undefined) return safeText(JSON.stringify(constant), 60);
  if (schema.enum) return texts.choice;
  if (type === 'string' && format !== undefined) return formats[format] ?? texts.kinds.string;
  if (type === 'array') return describeList(items);
  if (type === 'object') {
    const names = Object.keys(properties ?? {});
    if (names.length > 0) return texts.objectWith(safeText(names.slice(0, 3).join(', '), 60));
  }
  return type === undefined ? texts.anyValue : texts.kinds[type];
}

function describeList(items: FormSchema['items']): string {
  if (!items || Array.isArray(items)) return texts.kinds.array;
  const item = items as FormSchema;
  return lists[item.enum ? 'enum' : String(item.type)] ?? texts.kinds.array;
}

/** Describes the limits of a value; empty where there are none. */
export function describeBounds(schema: FormSchema): string {
  const { exclusiveMinimum, exclusiveMaximum, multipleOf, uniqueItems, 'x-pattern': pattern } = schema;
  const parts = [
    range(schema.minimum, schema.maximum),
    typeof exclusiveMinimum === 'number' && texts.moreThan(exclusiveMinimum),
    typeof exclusiveMaximum === 'number' && texts.lessThan(exclusiveMaximum),
    typeof multipleOf === 'number' && multipleOf !== 1 && texts.multipleOf(multipleOf),
    range(schema.minLength, schema.maxLength, texts.characters),
    range(schema.minItems, schema.maxItems, texts.items),
    uniqueItems === true && texts.noItemTwice,
    pattern !== undefined && texts.matches(pattern),
  ];
  return parts.filter(Boolean).join(', ');
}

/** `count`: names the unit of an amount that cannot be negative. */
function range(minimum: unknown, maximum: unknown, count?: (amount: number) => string): string | undefined {
  const amount = count ?? formatNumber;
  if (typeof minimum === 'number' && minimum > 0 && typeof maximum === 'number')
    return minimum === maximum ? texts.exactly(amount(minimum)) : texts.range(minimum, amount(maximum));
  if (typeof maximum === 'number')
    return typeof minimum === 'number' && !count
      ? texts.range(minimum, amount(maximum))
      : texts.atMost(amount(maximum));
  if (typeof minimum === 'number' && (minimum > 0 || !count)) return texts.atLeast(amount(minimum));
  return undefined;
}
