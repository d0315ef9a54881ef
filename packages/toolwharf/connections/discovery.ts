import { isDeepStrictEqual } from 'node:util';
import { ProtocolError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { haveSameTexts, itemTextsOf, keepMemberTexts } from '../kernel/exact-json.ts';
import { checkSkill, type SkillDefinition, skillsExtension } from '../kernel/skill.ts';
import { createSlice } from '../kernel/slices.ts';
import type { ToolDefinition } from '../kernel/tool.ts';

export type ListKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts' | 'skills';

/** How one kind of list is requested, where its result holds the items, and what a valid item is. */
export interface ListSource {
  readonly method: string;
  readonly member: string;
  /** The name of the capability, or of the protocol extension, with which a server announces the list. */
  readonly capability: string;
  /** The member that identifies an item. */
  readonly key: string;
  readonly check: (item: JsonObject) => string | undefined;
}

export const listSources: Readonly<Record<ListKind, ListSource>> = {
  tools: { method: 'tools/list', member: 'tools', capability: 'tools', key: 'name', check: checkTool },
  resources: {
    method: 'resources/list',
    member: 'resources',
    capability: 'resources',
    key: 'uri',
    check: needsText('uri'),
  },
  resourceTemplates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    capability: 'resources',
    key: 'uriTemplate',
    check: needsText('uriTemplate'),
  },
  prompts: {
    method: 'prompts/list',
    member: 'prompts',
    capability: 'prompts',
    key: 'name',
    check: needsText('name'),
  },
  skills: { method: 'skills/list', member: 'skills', capability: skillsExtension, key: 'uri', check: checkSkill },
};

const maxItems = 100_000;
const maxPages = 2_000;

/** True if a server with these capabilities announces the list. */
export function announcesList(kind: ListKind, capabilities: JsonObject): boolean {
  const { extensions } = capabilities;
  const announced = kind === 'skills' ? extensions : capabilities;
  return isObject(announced) && isObject(announced[listSources[kind].capability]);
}

// Twice the depth that argument validation supports.
const maxDepth = 512;

/** The valid items of a list as the server sent them, and the reasons why others were rejected. */
export interface Listing {
  readonly items: readonly JsonObject[];
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
}

export interface ListOptions {
  /** The list as last read. An unchanged item at the same index keeps its object, so that its copy can be collected. */
  readonly before?: readonly JsonObject[];
}

/** Reads all pages of a list. An invalid item is rejected alone; a list without end is an error. */
export async function listAll(
  source: ListSource,
  request: (method: string, params: JsonObject) => Promise<JsonObject>,
  options: ListOptions = {},
): Promise<Listing> {
  const { before = [] } = options;
  const items: JsonObject[] = [];
  const rejected: { name: string; reason: string }[] = [];
  const cursors = new Set<string>();
  const slice = createSlice();
  let cursor: string | undefined;
  for (let page = 0; ; page++) {
    const result = await request(source.method, cursor === undefined ? {} : { cursor });
    const found = result[source.member];
    if (!Array.isArray(found)) {
      throw new ProtocolError(
        'SERVER_PROTOCOL',
        `The server answered ${source.method} without a list of ${source.member}`,
      );
    }
    const texts = itemTextsOf(result, source.member);
    for (const parsed of found) {
      const text = texts?.next().value;
      const item: unknown = isObject(parsed) ? keepMemberTexts(parsed, text) : parsed;
      const earlier = before[items.length];
      const isSame = earlier !== undefined && isSameItem(earlier, item);
      const reason = isSame ? undefined : problemOf(item, source);
      if (reason === undefined) items.push(isSame ? earlier : (item as JsonObject));
      else rejected.push({ name: nameOf(item), reason });
      if (slice.isOver()) await slice.next();
    }
    if (typeof result.nextCursor !== 'string' || result.nextCursor === '') return { items, rejected };
    cursor = result.nextCursor;
    if (cursors.has(cursor)) throw new ProtocolError('SERVER_PROTOCOL', `${source.method} sent the same cursor twice`);
    cursors.add(cursor);
    if (items.length >= maxItems || page + 1 >= maxPages) {
      throw new ProtocolError(
        'SERVER_PROTOCOL',
        `${source.method} continues beyond ${items.length} items and ${page + 1} pages`,
      );
    }
  }
}

/** Whether two items are equal, in all digits of their numbers too. */
export function isSameItem(one: JsonObject, other: unknown): boolean {
  return isDeepStrictEqual(one, other) && haveSameTexts(one, other as JsonObject);
}

function problemOf(item: unknown, source: ListSource): string | undefined {
  if (!isObject(item)) return 'not an object';
  return isDeeper(item, maxDepth) ? `it is nested more than ${maxDepth} deep` : source.check(item);
}

/** Items that are nested too deeply would overflow the stack later, for instance when they are hashed. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

/** A tool that passed `listSources.tools.check`. Members that are null count as left out, and a boolean schema is written as an object. */
export function toToolDefinition(item: JsonObject): ToolDefinition {
  const { outputSchema } = item;
  const isPlain = typeof outputSchema !== 'boolean' && optionalMembers.every((member) => item[member] !== null);
  if (isPlain) return item as ToolDefinition;
  const known = definitions.get(item);
  if (known) return known;
  const members = Object.entries(item).filter(([member, value]) => value !== null || !optionalMembers.includes(member));
  const written = typeof outputSchema === 'boolean' ? { outputSchema: outputSchema ? {} : { not: {} } } : {};
  const definition = { ...Object.fromEntries(members), ...written } as unknown as ToolDefinition;
  definitions.set(item, definition);
  return definition;
}

const optionalMembers = ['title', 'description', 'outputSchema', 'annotations', 'icons', 'execution', '_meta'];
/** The same definition for each item, because unchanged definitions are recognised by their identity. */
const definitions = new WeakMap<JsonObject, ToolDefinition>();

/** A skill that passed `listSources.skills.check`. */
export function toSkillDefinition(item: JsonObject): SkillDefinition {
  return item as unknown as SkillDefinition;
}

function checkTool(item: JsonObject): string | undefined {
  if (typeof item.name !== 'string' || item.name === '') return 'it has no name';
  const schema = item.inputSchema;
  if (!isObject(schema)) return 'its inputSchema is not an object';
  if (schema.type !== undefined && schema.type !== 'object')
    return `its inputSchema is of type ${JSON.stringify(schema.type)}, not object`;
  if (typeof (item.description ?? '') !== 'string') return 'its description is not a string';
  const output = item.outputSchema ?? {};
  if (!isObject(output) && typeof output !== 'boolean') return 'its outputSchema is not a schema';
  return undefined;
}

function needsText(member: string): (item: JsonObject) => string | undefined {
  return (item) => (typeof item[member] === 'string' && item[member] !== '' ? undefined : `it has no ${member}`);
}

function nameOf(item: unknown): string {
  const { name, uri } = isObject(item) ? item : {};
  for (const text of [name, uri]) if (typeof text === 'string' && text !== '') return text.slice(0, 100);
  return '(without a name)';
}
