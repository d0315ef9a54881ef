import { gatewaySchema } from '../../../contract/settings/gateway-schema.ts';
import { nativeKeys, profileSchema, toolboxSchema } from '../../../contract/settings/native-schema.ts';
import { policySchema } from '../../../contract/settings/policy-schema.ts';
import { redactionSchema } from '../../../contract/settings/redaction-schema.ts';
import { closest } from '../../kernel/closest.ts';
import { toCamelCase } from '../canonical-keys.ts';
import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
import { formatPath, type Path } from '../problems.ts';
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
  const foreign: Path[] = [];
  for (const [key, value] of Object.entries(document)) {
    if (used.includes(key) || key === '$schema') continue;
    const name = toCamelCase(key);
    if (!ownKeys.includes(name)) {
      if (!reportIfNoEffect(key, value, context)) foreign.push([key]);
    } else if (!isOurs(name, value)) foreign.push([key]);
    else if (key === 'toolbox' && isPlainMap(native.toolbox) && isPlainMap(value))
      added.toolbox = mergeToolbox(native.toolbox, value, context);
    else added[key] = value;
  }
  context.ignore(foreign);
  return added;
}

/** Whether a key that has the name of one of ours can be ours: another program may use the name for something else. */
function isOurs(key: string, value: PlainData): boolean {
  if (value === null) return true;
  if (key === 'skills' || key === 'localTools') return typeof value === 'string' || Array.isArray(value);
  if (key === 'plugins') return Array.isArray(value);
  if (!isPlainMap(value)) return false;
  if (key === 'profiles') {
    const profiles = Object.values(value).filter((profile) => profile !== null);
    return profiles.every(isPlainMap) && hasKeyOf(profileSchema.shape, Object.assign({}, ...profiles));
  }
  // The gateway knows their names.
  if (key === 'features') return Object.values(value).every((isOn) => typeof isOn === 'boolean');
  // A policy that is misread as that of another program would fail open.
  if (key === 'policy') return hasKeyOf(policySchema.shape, value);
  if (key === 'redaction') return hasKeyOf(redactionSchema.shape, value);
  return hasKeyOf(key === 'gateway' ? gatewaySchema().shape : toolboxSchema.shape, value);
}

/** True for a map without keys, and if one of its keys is known or misspelt. */
function hasKeyOf(shape: object, map: PlainObject): boolean {
  const known = Object.keys(shape);
  const keys = Object.keys(map);
  return keys.length === 0 || keys.some((key) => closest(key, known) !== undefined);
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

/** Whether the key was reported. */
function reportIfNoEffect(key: string, value: PlainData, context: TranslateContext): boolean {
  const beside = keysOfDialects.get(key);
  if (beside !== undefined) {
    context.report({ path: [key], message: `has no effect here: it only works beside ${beside}`, atKey: true });
    return true;
  }
  const suggestion = closest(key, ownKeys);
  if (suggestion === undefined || !isOurs(suggestion, value)) return false;
  context.report({ path: [key], message: 'unknown key', found: `'${key}'`, suggestion, atKey: true });
  return true;
}
