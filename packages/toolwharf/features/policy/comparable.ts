import { isObject } from '../../../contract/json.ts';

/**
 * The value with its texts in one Unicode form (NFC) and without invisible characters; the same object if all are already. Names of
 * members stay: a server looks them up as they are.
 */
export function toComparable(value: unknown): unknown {
  if (typeof value === 'string') return toComparableText(value);
  if (Array.isArray(value)) {
    const items = value.map(toComparable);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  const members = names.map((name) => toComparable(value[name]));
  if (members.every((member, at) => member === value[names[at] as string])) return value;
  return Object.fromEntries(names.map((name, at) => [name, members[at]]));
}

function toComparableText(text: string): string {
  return isAscii.test(text) ? text : text.normalize().replaceAll(invisible, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const isAscii = /^[\x00-\x7f]*$/;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
