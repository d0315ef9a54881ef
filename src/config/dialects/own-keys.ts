import { closest } from '../../kernel/closest.ts';
import { toCamelCase } from '../canonical-keys.ts';
import { nativeKeys } from '../native-schema.ts';
import { isPlainMap, type PlainObject } from '../plain-data.ts';
import { formatPath } from '../problems.ts';
import type { TranslateContext } from './dialect.ts';

/** Toolwharf's own top-level keys. They work beside the servers of every dialect. */
export const ownKeys: readonly string[] = nativeKeys.filter((key) => key !== 'servers' && key !== '$schema');

/** Keys of other dialects, with the keys beside which they have an effect. */
const keysOfDialects = new Map([
  ['default_timeout', "'servers'"],
  ['max_retries', "'servers'"],
]);

/**
 * Adds Toolwharf's own keys of a document to its translation. A key that would have no effect is a problem: one that is
 * set twice, that is misspelt, or that belongs to another dialect. `used` are the keys that the dialect has read.
 */
export function addOwnKeys(
  native: PlainObject,
  document: PlainObject,
  used: readonly string[],
  context: TranslateContext,
): PlainObject {
  const added: PlainObject = { ...native };
  for (const [key, value] of Object.entries(document)) {
    if (used.includes(key)) continue;
    if (!ownKeys.includes(toCamelCase(key))) reportIfNoEffect(key, context);
    else if (key === 'toolbox' && isPlainMap(native.toolbox) && isPlainMap(value))
      added.toolbox = mergeToolbox(native.toolbox, value, context);
    else added[key] = value;
  }
  return added;
}

/** Both may set keys of the toolbox, but not the same one. */
function mergeToolbox(translated: PlainObject, own: PlainObject, context: TranslateContext): PlainObject {
  const merged: PlainObject = { ...translated };
  for (const [key, value] of Object.entries(own)) {
    const same = Object.keys(translated).find((other) => toCamelCase(other) === toCamelCase(key));
    if (same !== undefined) {
      const other = formatPath(context.origins.resolve(['toolbox', same]));
      context.report({ path: ['toolbox', key], message: `is also set as '${other}': keep one`, atKey: true });
    } else {
      merged[key] = value;
      context.origins.set(['toolbox', key], ['toolbox', key]);
    }
  }
  return merged;
}

function reportIfNoEffect(key: string, context: TranslateContext): void {
  const beside = keysOfDialects.get(key);
  if (beside !== undefined)
    context.report({ path: [key], message: `has no effect here: it only works beside ${beside}`, atKey: true });
  const suggestion = closest(key, ownKeys);
  if (suggestion !== undefined)
    context.report({ path: [key], message: 'unknown key', found: `'${key}'`, suggestion, atKey: true });
}
