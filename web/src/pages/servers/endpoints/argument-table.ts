import { isRecord } from '../../../components/content/is-record.ts';
import { nextId } from '../next-id.ts';

export type ArgumentType = 'text' | 'number' | 'integer' | 'boolean' | 'texts' | 'any';

/** An argument of an endpoint, in words that need no JSON Schema. */
export interface ArgumentRow {
  readonly id: number;
  readonly name: string;
  readonly type: ArgumentType;
  readonly isRequired: boolean;
  readonly description: string;
  /** Goes into the query where it could as well go into the body. */
  readonly isInQuery: boolean;
}

export interface ArgumentTable {
  readonly rows: readonly ArgumentRow[];
  /** Whether arguments that have no row are refused. */
  readonly isClosed: boolean;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export function newRow(name = ''): ArgumentRow {
  return { id: nextId(), name, type: 'text', isRequired: false, description: '', isInQuery: false };
}

/** The JSON Schema that the rows stand for. One that has no name yet is no argument. */
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

/** The rows that say all that a schema says; undefined if it says more than rows can. */
export function toTable(schema: JsonSchema, query: readonly string[], path: string): ArgumentTable | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (!isRecord(properties) || !Array.isArray(required)) return undefined;
  const rows = Object.entries(properties).map(([name, property]) => ({
    ...newRow(name),
    type: typeOf(property),
    isRequired: required.includes(name),
    description: isRecord(property) && typeof property.description === 'string' ? property.description : '',
    isInQuery: query.includes(name),
  }));
  const table = { rows, isClosed: additionalProperties === false };
  const inPath = argumentsInPath(path);
  if (rows.some(({ name, isRequired }) => inPath.includes(name) && !isRequired)) return undefined;
  if (required.some((name) => !rows.some((row) => row.name === name))) return undefined;
  // Whatever was not understood above is missing here.
  if (!isSame({ ...toSchema(table), required: [] }, { ...schema, properties, required: [] })) return undefined;
  return { ...table, rows: followPath(rows, '', path) };
}

/** The arguments that a path names, each once and in their order. */
export function argumentsInPath(path: string): readonly string[] {
  return [...new Set([...path.matchAll(/\{([^{}/]+)\}/g)].map(([, name = '']) => name))];
}

/** The rows after the path has changed: one for each argument that it names, and none that was there only for the old path. */
export function followPath(rows: readonly ArgumentRow[], before: string, after: string): readonly ArgumentRow[] {
  const old = argumentsInPath(before);
  const wanted = argumentsInPath(after);
  const renamed = renamedIn(old, wanted, rows);
  const kept = rows
    .map((row) => (row.name === renamed?.from ? { ...row, name: renamed.to } : row))
    .filter((row) => wanted.includes(row.name) || !old.includes(row.name) || !isPlainText(row))
    .map((row) => (wanted.includes(row.name) ? { ...row, isRequired: true } : row));
  const missing = wanted.filter((name) => !kept.some((row) => row.name === name));
  const place = kept.findLastIndex(({ name }) => wanted.includes(name)) + 1;
  const added = missing.map((name) => ({ ...newRow(name), isRequired: true }));
  return [...kept.slice(0, place), ...added, ...kept.slice(place)];
}

/** Whether a row says only that there is a required text. */
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

function typeOf(property: unknown): ArgumentType {
  if (!isRecord(property)) return 'any';
  const types = Object.entries(typeSchemas) as [ArgumentType, JsonSchema][];
  return types.find(([, { type }]) => type === property.type)?.[0] ?? 'any';
}

/** The one name of a path that became another in its place, as it does while somebody writes it. */
function renamedIn(old: readonly string[], wanted: readonly string[], rows: readonly ArgumentRow[]) {
  const places = old.flatMap((name, at) => (wanted[at] === name ? [] : [at]));
  const [place = -1] = places;
  const [from, to] = [old[place], wanted[place]];
  if (old.length !== wanted.length || places.length !== 1 || from === undefined || to === undefined) return undefined;
  return rows.some(({ name }) => name === to) ? undefined : { from, to };
}

function isSame(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other)) return JSON.stringify(one) === JSON.stringify(other);
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}
