import { isObject, type JsonObject, type JsonSchema } from '../../contract/json.ts';
import { canonicalJson } from './canonical-json.ts';
import { isRawNumber } from './exact-json.ts';
import { escapePointerToken, parsePointer, valueAt } from './json-pointer.ts';
import { secretsOf } from './secret-values.ts';

/** Arguments as people may see them. */
export interface HiddenArguments {
  /** The arguments with masks instead of secrets; the same object if there are none. */
  readonly shown: JsonObject;
  /** The JSON pointer of each secret, by its mask. */
  readonly places: ReadonlyMap<string, string>;
}

const maskPattern = /^\[hidden(?: \d+)?\]$/;
const none: ReadonlyMap<string, string> = new Map();

/** Stands for a secret. */
export const secretMask = '[hidden]';

/** Whether a value is a mask instead of a secret. */
export function isMask(value: unknown): value is string {
  return typeof value === 'string' && maskPattern.test(value);
}

/** Whether a value contains a mask. */
export function hasMasks(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isMask(value);
  return Object.values(value).some(hasMasks);
}

/**
 * Replaces the values that an input schema marks with `writeOnly: true` or `format: password` by masks: `[hidden]`,
 * `[hidden 2]`, … Each schema of the list applies. Values for which `isHidden` is true are not secret.
 */
export function hideArguments(
  schemas: readonly (JsonSchema | undefined)[],
  args: JsonObject,
  isHidden: (value: unknown) => boolean = () => false,
): HiddenArguments {
  if (!schemas.some(secretsOf)) return { shown: args, places: none };
  let shown = args;
  const places = new Map<string, string>();
  for (const schema of schemas) {
    const replace = secretsOf(schema);
    if (!replace) continue;
    const before = shown;
    const masked = replace(before, (pointer) => {
      const value = valueAt(before, parsePointer(pointer));
      if (isHidden(value) || (typeof value === 'string' && places.get(value) === pointer)) return value;
      const mask = places.size === 0 ? secretMask : `[hidden ${places.size + 1}]`;
      places.set(mask, pointer);
      return mask;
    });
    if (!isObject(masked)) return { shown: wholeMask, places: new Map([[secretMask, '']]) };
    shown = masked;
  }
  return places.size === 0 ? { shown: args, places: none } : { shown, places };
}

/** Instead of all arguments. */
const wholeMask: JsonObject = { '[hidden]': '[hidden]' };

/** Arguments that a person edited, with the secrets that the masks stand for. */
export function restoreArguments(
  edited: JsonObject,
  original: JsonObject,
  { shown, places }: HiddenArguments,
): { readonly args: JsonObject; readonly restoredAt: readonly string[] } {
  const restoredAt: string[] = [];
  const masked = new Set(places.values());
  if (masked.has('')) return { args: canonicalJson(edited) === canonicalJson(shown) ? original : edited, restoredAt };

  function restore(part: unknown, at: string): unknown {
    if (typeof part === 'string') {
      const place = places.get(part);
      // A text of the caller may look like a mask.
      const isText = !masked.has(at) && valueAt(shown, parsePointer(at)) === part;
      if (place === undefined || isText) return part;
      restoredAt.push(at);
      return valueAt(original, parsePointer(place));
    }
    if (Array.isArray(part)) return part.map((item, index) => restore(item, `${at}/${index}`));
    if (!isObject(part) || isRawNumber(part)) return part;
    const members = Object.entries(part).map(([name, member]) => [
      name,
      restore(member, `${at}/${escapePointerToken(name)}`),
    ]);
    return Object.fromEntries(members);
  }

  return { args: restore(edited, '') as JsonObject, restoredAt };
}

/** The pointer of the secret that a pointer leads to or into; undefined if it leads to none. */
export function secretAt(pointer: string, { places }: HiddenArguments): string | undefined {
  for (const place of places.values()) if (pointer === place || pointer.startsWith(`${place}/`)) return place;
  return undefined;
}
