import { isRecord } from '../../../components/is-record.ts';
import { nextId } from '../form-lines.ts';

export type ArgumentType = 'text' | 'number' | 'integer' | 'boolean' | 'texts' | 'any';

/** An argument of an endpoint as a row of the form. */
export interface ArgumentRow {
  readonly id: number;
  readonly name: string;
  readonly type: ArgumentType;
  readonly isRequired: boolean;
  readonly description: string;
  /** Sent in the query instead of the body. */
  readonly isInQuery: boolean;
}

export interface ArgumentTable {
  readonly rows: readonly ArgumentRow[];
  /** Whether arguments without a row are rejected. */
  readonly isClosed: boolean;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A new row with its own id. */
export function newRow(name = ''): ArgumentRow {
  return { id: nextId(), name, type: 'text', isRequired: false, description: '', isInQuery: false };
}

/** The JSON Schema of the rows. Rows without a name are ignored. */
export function toSchema({ rows, isClosed }: ArgumentTable): JsonSchema {
  const named = rows.filter(({ name }) => name !== '');
  const required = named.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(named.map((row) => [row.name, toProperty(row)])),
    ...(required.length > 0 && { required }),
    ...(isClosed && { additionalProperties: false }),
  };
}

/** The rows of a schema; undefined if rows cannot express all of it. */
export function toTable(schema: JsonSchema, query: readonly string[], path: string): ArgumentTable | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (!isRecord(properties) || !Array.isArray(required)) return undefined;
  const rows = Object.entries(properties).map(([name, property]) => ({
    ...newRow(name),
    type: readType(property),
    isRequired: required.includes(name),
    description: isRecord(property) && typeof property.description === 'string' ? property.description : '',
    isInQuery: query.includes(name),
  }));
  const table = { rows, isClosed: additionalProperties === false };
  const inPath = argumentsInPath(path);
  if (rows.some(({ name, isRequired }) => inPath.includes(name) && !isRequired)) return undefined;
  if (required.some((name) => !rows.some((row) => row.name === name))) return undefined;
  // A part of the schema that rows cannot express is missing here.
  if (!isEqual({ ...toSchema(table), required: [] }, { ...schema, properties, required: [] })) return undefined;
  return { ...table, rows: followPath(rows, '', path) };
}

/** The distinct arguments of a path in order. */
export function argumentsInPath(path: string): readonly string[] {
  return [...new Set([...path.matchAll(/\{([^{}/]+)\}/g)].map(([, name = '']) => name))];
}

/** Updates the rows for a new path: adds its arguments and removes unedited ones of the old path. */
export function followPath(rows: readonly ArgumentRow[], before: string, after: string): readonly ArgumentRow[] {
  const old = argumentsInPath(before);
  const current = argumentsInPath(after);
  const renamed = findRename(old, current, rows);
  const kept = rows
    .map((row) => (row.name === renamed?.from ? { ...row, name: renamed.to } : row))
    .filter((row) => current.includes(row.name) || !old.includes(row.name) || !isPlainText(row))
    .map((row) => (current.includes(row.name) ? { ...row, isRequired: true } : row));
  const missing = current.filter((name) => !kept.some((row) => row.name === name));
  const insertAt = kept.findLastIndex(({ name }) => current.includes(name)) + 1;
  const added = missing.map((name) => ({ ...newRow(name), isRequired: true }));
  return [...kept.slice(0, insertAt), ...added, ...kept.slice(insertAt)];
}

/** Whether a row is an unedited required text. */
export function isPlainText({ type, isRequired, description }: ArgumentRow): boolean {
  return type === 'text' && isRequired && description === '';
}

const typeSchemas: Readonly<Record<ArgumentType, JsonSchema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  texts: { type: 'array', items: { type: 'string' } },
  any: {},
};

function toProperty({ type, description }: ArgumentRow): JsonSchema {
  return { ...typeSchemas[type], ...(description !== '' && { description }) };
}

function readType(property: unknown): ArgumentType {
  if (!isRecord(property)) return 'any';
  const types = Object.entries(typeSchemas) as [ArgumentType, JsonSchema][];
  return types.find(([, { type }]) => type === property.type)?.[0] ?? 'any';
}

/** The single argument of a path that was renamed in place, as happens while typing. */
function findRename(old: readonly string[], current: readonly string[], rows: readonly ArgumentRow[]) {
  const places = old.flatMap((name, at) => (current[at] === name ? [] : [at]));
  const [place = -1] = places;
  const [from, to] = [old[place], current[place]];
  if (old.length !== current.length || places.length !== 1 || from === undefined || to === undefined) return undefined;
  return rows.some(({ name }) => name === to) ? undefined : { from, to };
}

function isEqual(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other)) return JSON.stringify(one) === JSON.stringify(other);
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}
