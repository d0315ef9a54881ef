import type { ServerInput } from '../../../api/client.ts';
import { isRecord } from '../../../components/content/is-record.ts';
import { readArguments } from '../../../components/schema-form/read-arguments.ts';
import { nextId } from '../next-id.ts';
import {
  type ArgumentRow,
  type ArgumentTable,
  argumentsInPath,
  followPath,
  isPlainText,
  toSchema,
  toTable,
} from './argument-table.ts';

export type Endpoint = NonNullable<ServerInput['endpoints']>[number];
export type Method = NonNullable<Endpoint['method']>;

/** What an endpoint takes: in rows, or as the text of a JSON Schema, which can say anything. */
export type ArgumentsDraft =
  | ({ readonly kind: 'rows' } & ArgumentTable)
  | { readonly kind: 'json'; readonly text: string; readonly query: readonly string[] };

export interface EndpointDraft {
  readonly id: number;
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly description: string;
  readonly takes: ArgumentsDraft;
}

/** The form for an endpoint that is stored; an empty one for none. */
export function toEndpointDraft(endpoint?: Endpoint): EndpointDraft {
  const { name = '', method = 'GET', path = '', description = '', query = [], input } = endpoint ?? {};
  const table = input ? toTable(input, query, path) : { rows: followPath([], '', path), isClosed: true };
  const takes: ArgumentsDraft = table ? { kind: 'rows', ...table } : { kind: 'json', text: toText(input), query };
  return { id: nextId(), name, method, path, description, takes };
}

/** What is sent to the gateway, which judges it. */
export function toEndpoint({ name, method, path, description, takes }: EndpointDraft): Endpoint {
  const place = path.trim();
  return {
    name: name.trim(),
    ...(description.trim() !== '' && { description: description.trim() }),
    method,
    path: place,
    ...(takes.kind === 'rows' ? fromTable(takes, argumentsInPath(place)) : fromText(takes)),
  };
}

/** The same endpoint at another path, whose arguments it takes. */
export function movedTo(draft: EndpointDraft, path: string): EndpointDraft {
  const { takes } = draft;
  if (takes.kind === 'json') return { ...draft, path };
  return { ...draft, path, takes: { ...takes, rows: followPath(takes.rows, draft.path, path) } };
}

/** The arguments as the text of their schema. */
export function asJson(table: ArgumentTable): ArgumentsDraft {
  return { kind: 'json', text: toText(toSchema(table)), query: queryOf(table) };
}

/** The arguments in rows; undefined if the text is no schema, or says more than rows can. */
export function asRows({ takes, path }: EndpointDraft): ArgumentsDraft | undefined {
  if (takes.kind === 'rows') return takes;
  const read = readArguments(takes.text);
  if (!read.ok) return undefined;
  if (takes.text.trim() === '') return { kind: 'rows', rows: followPath([], '', path), isClosed: true };
  const table = toTable(read.value, takes.query, path);
  return table && { kind: 'rows', ...table };
}

/** Whether something besides the path could carry arguments to the API: else they go into the query. */
export function hasBody(method: Method): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

/** The arguments that a schema's text describes, as far as it can be read. */
export function namesInText(text: string): readonly string[] {
  const read = readArguments(text);
  return read.ok && isRecord(read.value.properties) ? Object.keys(read.value.properties) : [];
}

/** Why the text is no schema, if it is none. */
export function textProblem(text: string): string | undefined {
  const read = readArguments(text);
  return read.ok ? undefined : read.problem;
}

/** What is wrong with rows, by their ids. */
export function rowProblems(rows: readonly ArgumentRow[]): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  for (const { id, name, description } of rows) {
    if (name === '' && description !== '') problems.set(id, 'It needs a name');
    if (name !== '' && rows.some((other) => other.id !== id && other.name === name))
      problems.set(id, 'There is another argument of this name');
  }
  return problems;
}

/** Whether what an endpoint takes can't be told to anybody yet. */
export function isUnclear({ takes }: EndpointDraft): boolean {
  return takes.kind === 'rows' ? rowProblems(takes.rows).size > 0 : textProblem(takes.text) !== undefined;
}

function fromTable(table: ArgumentTable, inPath: readonly string[]): Pick<Endpoint, 'input' | 'query'> {
  const named = table.rows.filter(({ name }) => name !== '');
  // The gateway takes just this to be meant where nothing is said.
  if (table.isClosed && named.every((row) => inPath.includes(row.name) && isPlainText(row))) return {};
  const query = queryOf(table).filter((name) => !inPath.includes(name));
  return { input: toSchema(table), ...(query.length > 0 && { query }) };
}

function fromText({ text, query }: { readonly text: string; readonly query: readonly string[] }) {
  const read = readArguments(text);
  if (text.trim() === '') return {};
  const known = namesInText(text);
  const kept = query.filter((name) => known.includes(name));
  return { input: read.ok ? read.value : {}, ...(kept.length > 0 && { query: kept }) };
}

function queryOf({ rows }: ArgumentTable): string[] {
  return rows.filter(({ name, isInQuery }) => name !== '' && isInQuery).map(({ name }) => name);
}

function toText(schema: unknown): string {
  return JSON.stringify(schema, null, 2);
}
