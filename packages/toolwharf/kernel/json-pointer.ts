/** A key as one token of a JSON Pointer (RFC 6901): `~` becomes `~0` and `/` becomes `~1`. */
export function escapePointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The key that one token of a JSON Pointer stands for. */
export function unescapePointerToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The keys of a JSON Pointer, from the root: `/a~1b/0` is `['a/b', '0']`. */
export function parsePointer(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescapePointerToken);
}

/** The value at the keys, following own properties only, or undefined if there is none. */
export function valueAt(document: unknown, keys: readonly string[]): unknown {
  let value = document;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The keys of a `$ref` into its own document (`#`, `#/$defs/Size`), or undefined if it refers to anything else. */
export function parseLocalReference(reference: string): string[] | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  return parsePointer(decodeFragment(reference.slice(1)));
}

/** Percent-decodes a URL fragment; a malformed one stays as it is. */
export function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
