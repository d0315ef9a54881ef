import { isObject, type JsonObject } from '../../contract/json.ts';

/** The `_meta` member with which a legacy server can set the key of its question. Modern clients identify questions by key. */
export const questionKey = 'toolwharf/key';

/** True for a member of `_meta` that only Toolwharf may set, in any spelling. */
export function isOwnMember(name: string): boolean {
  return /^(?:[\w-]+\.)*toolwharf(?:\.[\w-]+)*\//i.test(name);
}

/** The `_meta` without members that only Toolwharf may set; the same object if it has none. */
export function withoutOwnMembers<Meta extends JsonObject | undefined>(meta: Meta): Meta {
  if (meta === undefined || !Object.keys(meta).some(isOwnMember)) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !isOwnMember(name))) as Meta;
}

/** Members whose values are data of tools and people, not parts of the protocol. */
const dataMembers: ReadonlySet<string> = new Set([
  'structuredContent',
  'arguments',
  'inputSchema',
  'outputSchema',
  'requestedSchema',
  'input',
]);
const maxDepth = 12;

/**
 * Removes from a message of a server, at any depth, the members of `_meta` that only Toolwharf may set. Changes the message itself.
 * Returns true if there were any.
 */
export function removeOwnMembers(message: unknown, depth = 0): boolean {
  if (typeof message !== 'object' || message === null || depth > maxDepth) return false;
  let isChanged = false;
  if (Array.isArray(message)) {
    for (const item of message) isChanged = removeOwnMembers(item, depth + 1) || isChanged;
    return isChanged;
  }
  for (const [member, value] of Object.entries(message)) {
    if (typeof value !== 'object' || value === null || dataMembers.has(member)) continue;
    if (member !== '_meta') isChanged = removeOwnMembers(value, depth + 1) || isChanged;
    else if (isObject(value))
      for (const name of Object.keys(value)) {
        if (!isOwnMember(name) || name === questionKey) continue;
        delete (value as Record<string, unknown>)[name];
        isChanged = true;
      }
  }
  return isChanged;
}
