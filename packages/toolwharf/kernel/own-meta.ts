import { isObject, type JsonObject } from '../../contract/json.ts';

/** The `_meta` member with which a legacy server can set the key of its question. Modern clients identify questions by key. */
export const questionKey = 'toolwharf/key';

/** True for a member of `_meta` that only Toolwharf may set, in any spelling. */
export function isOwnMember(name: string): boolean {
  const plain = /^[\x21-\x7e]*$/.test(name) ? name : name.normalize('NFKC').replaceAll(unseen, '');
  return /^(?:[\w-]+\.)*toolwharf(?:\.[\w-]+)*\//i.test(plain);
}

const unseen = /[\s\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/** The `_meta` without members that only Toolwharf may set; the same object if it has none. */
export function withoutOwnMembers<Meta extends JsonObject | undefined>(meta: Meta): Meta {
  if (meta === undefined || !Object.keys(meta).some(isOwnMember)) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !isOwnMember(name))) as Meta;
}

/** Members whose values are data of tools and people, not parts of the protocol. */
const dataMembers: ReadonlySet<string> = new Set([
  'structuredContent',
  'inputSchema',
  'outputSchema',
  'requestedSchema',
  'input',
]);
const maxDepth = 12;

/**
 * Removes from a message of a server, at any depth, the members of `_meta` that only Toolwharf may set. The key of a question stays.
 * Changes the message itself. Returns true if there were any.
 */
export function removeOwnMembers(message: unknown): boolean {
  const isRequest = isObject(message) && message.method !== undefined && message.id !== undefined;
  return removeWithin(message, 0, isRequest ? message.params : undefined);
}

function removeWithin(part: unknown, depth: number, question: unknown): boolean {
  if (typeof part !== 'object' || part === null || depth > maxDepth) return false;
  let isChanged = false;
  if (Array.isArray(part)) {
    for (const item of part) isChanged = removeWithin(item, depth + 1, question) || isChanged;
    return isChanged;
  }
  for (const [member, value] of Object.entries(part)) {
    if (typeof value !== 'object' || value === null || dataMembers.has(member)) continue;
    if (member !== '_meta') isChanged = removeWithin(value, depth + 1, question) || isChanged;
    else if (isObject(value))
      for (const name of Object.keys(value)) {
        if (!isOwnMember(name) || (name === questionKey && part === question)) continue;
        delete (value as Record<string, unknown>)[name];
        isChanged = true;
      }
  }
  return isChanged;
}
