import { closest } from '../kernel/closest.ts';
import type { CheckContext } from './check-context.ts';
import { isPlainMap, type PlainData, type PlainObject } from './plain-data.ts';
import type { Path } from './problems.ts';

/**
 * A map with its keys in camelCase. The snake_case spelling of a known key is accepted, both at once and
 * unknown keys are reported and left out, and so are keys without a value.
 */
export function canonicalKeys(
  map: PlainObject,
  known: readonly string[],
  path: Path,
  context: CheckContext,
): PlainObject {
  const canonical: PlainObject = {};
  for (const [key, value] of Object.entries(map)) {
    if (value === null) continue;
    const name = known.includes(key) ? key : toCamelCase(key);
    if (!known.includes(name)) {
      const suggestion = closest(key, known);
      const finding = { path: [...path, key], message: 'unknown key', found: `'${key}'`, allowed: known, atKey: true };
      context.report(suggestion ? { ...finding, suggestion } : finding);
    } else if (Object.hasOwn(canonical, name)) {
      context.report({
        path: [...path, key],
        message: `the same key as '${otherSpelling(map, key)}': keep one`,
        atKey: true,
      });
    } else {
      canonical[name] = value;
      if (name !== key) context.written.set([...path, name], [...context.written.resolve(path), key]);
    }
  }
  return canonical;
}

/** `canonicalKeys` for a member that should be a map; anything else stays, for the schema to refuse. */
export function canonicalMember(
  owner: PlainObject,
  key: string,
  known: readonly string[],
  path: Path,
  context: CheckContext,
): void {
  const member: PlainData | undefined = Object.hasOwn(owner, key) ? owner[key] : undefined;
  if (isPlainMap(member)) owner[key] = canonicalKeys(member, known, [...path, key], context);
}

/** `max_instances` → `maxInstances`. */
export function toCamelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function otherSpelling(map: PlainObject, key: string): string {
  return Object.keys(map).find((other) => other !== key && toCamelCase(other) === toCamelCase(key)) ?? key;
}
