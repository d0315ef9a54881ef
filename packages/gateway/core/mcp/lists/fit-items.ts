import type { Era } from '../../../../contract/connections.ts';
import { isObject, type JsonObject } from '../../../../contract/json.ts';
import { exactly, isRawNumber } from '../../../../toolwharf/kernel/exact-json.ts';
import { isTypedSchema, outputProblem, wrapOutputSchema } from './legacy-output.ts';

export type ItemKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

/** A member of an item that clients do not get, because it violates the protocol. */
export interface Omission {
  /** The name or URI of the item. */
  readonly item: string;
  readonly member: string;
  readonly reason: string;
}

export interface FittedItems {
  readonly items: readonly JsonObject[];
  readonly omitted: readonly Omission[];
}

/**
 * The items in a form that every client of this era can parse: clients reject a whole list if one member of one item has the
 * wrong type. A valid item is returned unchanged. Of an invalid one, the wrong members are left out or translated.
 */
export function fitItems(kind: ItemKind, items: readonly JsonObject[], era: Era): FittedItems {
  const omitted: Omission[] = [];
  const known = fitted[era];
  const shown = items.map((item) => {
    const found = known.get(item) ?? fitItem(kind, item, era);
    known.set(item, found);
    omitted.push(...found.omitted);
    return found.item;
  });
  return { items: kind === 'tools' && era === 'legacy' ? withoutIdClashes(shown, omitted) : shown, omitted };
}

interface FittedItem {
  readonly item: JsonObject;
  readonly omitted: readonly Omission[];
}

/** Items do not change, and most are in every list. */
const fitted: Readonly<Record<Era, WeakMap<JsonObject, FittedItem>>> = { legacy: new WeakMap(), modern: new WeakMap() };

/** Returns the value of a member as clients can parse it: unchanged, translated, or undefined to leave it out. */
type Adapt = (value: unknown, note: (reason: string) => void) => unknown;

type Shape = Readonly<Record<string, Adapt>>;

function fitItem(kind: ItemKind, item: JsonObject, era: Era): FittedItem {
  const key = kind === 'resourceTemplates' ? 'uriTemplate' : kind === 'resources' ? 'uri' : 'name';
  const name = String(item[key]).toWellFormed();
  const omitted: Omission[] = [];
  const note = (member: string, reason: string) => void omitted.push({ item: name, member, reason });
  const named = typeof item.name === 'string' ? item : { ...item, name };
  return { item: fitMembers(toParsable(named, note), shapes[era][kind], note), omitted };
}

/** JSON parsers of other languages reject a whole message that is nested more deeply, some at 128 levels. */
const maxDepth = 100;

/** The item without what JSON parsers of other languages reject: deep nesting, and characters of which one half is missing. */
function toParsable(item: JsonObject, note: (member: string, reason: string) => void): JsonObject {
  if (isParsable(item, maxDepth)) return item;
  const members = Object.entries(item).flatMap(([member, value]): [string, unknown][] => {
    const isRequired = member === 'inputSchema';
    if (isParsable(value, maxDepth - 1)) return [[member.toWellFormed(), value]];
    const shown = toWellFormed(exactly(value), maxDepth - 1);
    note(member.toWellFormed(), shown === undefined ? 'it is nested too deeply' : 'it has invalid characters');
    if (shown === undefined) return isRequired ? [[member, { type: 'object' }]] : [];
    return [[member.toWellFormed(), shown]];
  });
  return Object.fromEntries(members);
}

function isParsable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  for (const [key, member] of Object.entries(value))
    if (!key.isWellFormed() || !isParsable(member, depth - 1)) return false;
  return true;
}

/** Undefined if the value is nested too deeply. */
function toWellFormed(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (depth === 0) return undefined;
  const members = Object.entries(value).map(([key, member]) => [key, toWellFormed(member, depth - 1)] as const);
  if (members.some(([, member]) => member === undefined)) return undefined;
  if (Array.isArray(value)) return members.map(([, member]) => member);
  return Object.fromEntries(members.map(([key, member]) => [key.toWellFormed(), member]));
}

/** The object with each member as its shape says. The same object if nothing changes. */
function fitMembers(object: JsonObject, shape: Shape, note: (member: string, reason: string) => void): JsonObject {
  let changed: Record<string, unknown> | undefined;
  for (const [member, adapt] of Object.entries(shape)) {
    if (!Object.hasOwn(object, member) || object[member] === undefined) continue;
    const value = object[member];
    let reason: string | undefined;
    const next = adapt(value, (why) => {
      reason = why;
    });
    if (next === value) continue;
    changed ??= { ...object };
    if (next === undefined) delete changed[member];
    // A member that is written anew keeps all digits of its numbers.
    else changed[member] = exactly(value) === value ? next : adapt(exactly(value), () => {});
    if (next === undefined || reason !== undefined) note(member, reason ?? 'it has the wrong type');
  }
  return changed ?? object;
}

const text: Adapt = (value) => (typeof value === 'string' ? value : undefined);
const count: Adapt = (value) => (isCount(value) ? value : undefined);
const isCount = (value: unknown) =>
  isRawNumber(value) ? /^\d{1,18}$/.test(value.rawJSON) : Number.isSafeInteger(value) && Number(value) >= 0;
const flag: Adapt = (value) => (typeof value === 'boolean' ? value : undefined);
const object: Adapt = (value) => (isObject(value) ? value : undefined);
const oneOf =
  (...allowed: readonly unknown[]): Adapt =>
  (value) =>
    allowed.includes(value) ? value : undefined;

/** An object of this shape. Its wrong members are left out. */
const shaped =
  (shape: Shape): Adapt =>
  (value, note) =>
    isObject(value) ? fitMembers(value, shape, (member, reason) => note(`${member}: ${reason}`)) : undefined;

/** A list without the items that `adapt` leaves out. */
const listOf =
  (adapt: Adapt): Adapt =>
  (value, note) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((item) => adapt(item, note));
    if (items.every((item, at) => item === value[at])) return value;
    const kept = items.filter((item) => item !== undefined);
    if (kept.length < items.length) note('some of its items have the wrong type');
    return kept;
  };

/** An object of this shape that has this text. */
const identified =
  (member: string, shape: Shape): Adapt =>
  (value, note) =>
    isObject(value) && typeof value[member] === 'string' ? shaped(shape)(value, note) : undefined;

const icons = listOf(identified('src', { mimeType: text, sizes: listOf(text), theme: oneOf('light', 'dark') }));

const contentAnnotations = shaped({
  audience: listOf(oneOf('user', 'assistant')),
  priority(value) {
    const priority = isRawNumber(value) ? Number(value.rawJSON) : value;
    return typeof priority === 'number' && priority >= 0 && priority <= 1 ? value : undefined;
  },
  lastModified: (value) => (isDateTime(value) ? value : undefined),
});

const toolAnnotations = shaped({
  title: text,
  readOnlyHint: flag,
  destructiveHint: flag,
  idempotentHint: flag,
  openWorldHint: flag,
});

const common: Shape = { title: text, description: text, icons, _meta: object };
const resource: Shape = { ...common, mimeType: text, size: count, annotations: contentAnnotations };
const promptArguments = listOf(identified('name', { title: text, description: text, required: flag }));
const prompt: Shape = { ...common, arguments: promptArguments };
const execution = shaped({ taskSupport: oneOf('required', 'optional', 'forbidden') });
const tool: Shape = { ...common, annotations: toolAnnotations, execution };

const shapes: Readonly<Record<Era, Readonly<Record<ItemKind, Shape>>>> = {
  legacy: {
    tools: { ...tool, inputSchema: legacyInput, outputSchema: legacyOutput },
    resources: resource,
    resourceTemplates: resource,
    prompts: prompt,
  },
  modern: {
    tools: { ...tool, inputSchema: modernInput, outputSchema: modernOutput },
    resources: resource,
    resourceTemplates: resource,
    prompts: prompt,
  },
};

function modernInput(schema: unknown): unknown {
  return isObject(schema) ? withObjectType(withDialect(schema)) : { type: 'object' };
}

function modernOutput(schema: unknown): unknown {
  return isObject(schema) ? withDialect(schema) : undefined;
}

function legacyInput(schema: unknown): unknown {
  return isObject(schema) ? withObjectType(withPlainMembers(withDialect(schema))) : { type: 'object' };
}

/** The output as the official SDK shows it to legacy clients: wrapped in an object if it need not be one. */
function legacyOutput(schema: unknown, note: (reason: string) => void): unknown {
  if (!isObject(schema)) return undefined;
  const shown = isTypedSchema(schema) ? withPlainMembers(withDialect(schema)) : wrapOutputSchema(withDialect(schema));
  const problem = outputProblem(shown);
  if (problem === undefined) return shown;
  note(problem);
  return undefined;
}

function withObjectType(schema: JsonObject): JsonObject {
  return schema.type === 'object' ? schema : { ...schema, type: 'object' };
}

function withDialect(schema: JsonObject): JsonObject {
  if (schema.$schema === undefined || typeof schema.$schema === 'string') return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

/** Legacy clients expect an object for each property, also where a schema is a boolean, and texts in `required`. */
function withPlainMembers(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  const plainProperties = isObject(properties) ? toPlainProperties(properties) : undefined;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : undefined;
  const plainRequired = Array.isArray(required) && names?.length === required.length ? required : names;
  if (plainProperties === properties && plainRequired === required) return schema;
  const { properties: _properties, required: _required, ...rest } = schema;
  return {
    ...rest,
    ...(plainProperties && { properties: plainProperties }),
    ...(plainRequired && { required: plainRequired }),
  };
}

function toPlainProperties(properties: JsonObject): JsonObject {
  const entries = Object.entries(properties);
  if (entries.every(([, schema]) => typeof schema === 'object' && schema !== null)) return properties;
  return Object.fromEntries(entries.map(([name, schema]) => [name, toPlainSchema(schema)]));
}

function toPlainSchema(schema: unknown): unknown {
  if (typeof schema === 'object' && schema !== null) return schema;
  return schema === false ? { not: {} } : {};
}

/** Legacy clients compile all output schemas in one scope, in which an `$id` must be unique. */
function withoutIdClashes(tools: readonly JsonObject[], omitted: Omission[]): readonly JsonObject[] {
  const owners = new Map<string, string>();
  return tools.map((listed) => {
    const schema = listed.outputSchema;
    const ids = isObject(schema) ? idsIn(schema) : [];
    if (ids.length === 0) return listed;
    const schemaText = JSON.stringify(schema);
    if (ids.every((id) => (owners.get(id) ?? schemaText) === schemaText)) {
      for (const id of ids) owners.set(id, schemaText);
      return listed;
    }
    omitted.push({
      item: String(listed.name),
      member: 'outputSchema',
      reason: 'another tool has a different schema with the same $id',
    });
    const { outputSchema: _schema, ...rest } = listed;
    return rest;
  });
}

function idsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const id = isObject(value) && typeof value.$id === 'string' && !value.$id.startsWith('#') ? [value.$id] : [];
  return [...id, ...Object.values(value).flatMap(idsIn)];
}

/** True for a date and time with an offset, as ISO 8601 writes them. */
function isDateTime(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const pattern =
    /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
  const [, date] = pattern.exec(value) ?? [];
  const day = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(day) && new Date(day).toISOString().slice(0, 10) === date;
}
