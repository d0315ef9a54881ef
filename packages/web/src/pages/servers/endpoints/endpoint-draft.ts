import type { ServerInput } from '../../../api/client.ts';
import { otherSettings } from '../../../api/other-settings.ts';
import { isRecord } from '../../../components/is-record.ts';
import { readArguments } from '../../../components/schema-form/read-arguments.ts';
import { nextId } from '../form-lines.ts';
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

/** The arguments of an endpoint, as rows or as the text of a JSON Schema. */
export type ArgumentsDraft =
  | ({ readonly kind: 'rows' } & ArgumentTable)
  | { readonly kind: 'json'; readonly text: string; readonly query: readonly string[] };

export interface EndpointDraft {
  readonly id: number;
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly description: string;
  readonly args: ArgumentsDraft;
  /** Settings that the form does not show. Saving keeps them. */
  readonly others: Partial<Endpoint>;
}

/** The form values of an endpoint, or of a new one. */
export function toEndpointDraft(endpoint?: Endpoint): EndpointDraft {
  const { name = '', method = 'GET', path = '', description = '', query = [], input } = endpoint ?? {};
  const table = input ? toTable(input, query, path) : { rows: followPath([], '', path), isClosed: true };
  const args: ArgumentsDraft = table ? { kind: 'rows', ...table } : { kind: 'json', text: toText(input), query };
  return { id: nextId(), name, method, path, description, args, others: otherSettings(endpoint, shownKeys) };
}

const shownKeys = ['name', 'method', 'path', 'description', 'query', 'input'];

/** The endpoint in the request. The gateway validates it. */
export function toEndpoint({ name, method, path, description, args, others }: EndpointDraft): Endpoint {
  const trimmedPath = path.trim();
  return {
    ...others,
    name: name.trim(),
    description: description.trim() || undefined,
    method,
    path: trimmedPath,
    ...(args.kind === 'rows' ? fromTable(args, argumentsInPath(trimmedPath)) : fromText(args)),
  };
}

/** The endpoint with another path and its arguments. */
export function withPath(draft: EndpointDraft, path: string): EndpointDraft {
  const { args } = draft;
  if (args.kind === 'json') return { ...draft, path };
  return { ...draft, path, args: { ...args, rows: followPath(args.rows, draft.path, path) } };
}

/** The arguments as the text of their schema. */
export function asJson(table: ArgumentTable): ArgumentsDraft {
  return { kind: 'json', text: toText(toSchema(table)), query: listQuery(table) };
}

/** The arguments as rows; undefined if the text is not a schema or too complex for rows. */
export function asRows({ args, path }: EndpointDraft): ArgumentsDraft | undefined {
  if (args.kind === 'rows') return args;
  const read = readArguments(args.text);
  if (!read.ok) return undefined;
  if (args.text.trim() === '') return { kind: 'rows', rows: followPath([], '', path), isClosed: true };
  const table = toTable(read.value, args.query, path);
  return table && { kind: 'rows', ...table };
}

/** Whether requests with this method have a body. */
export function takesBody(method: Method): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

/** The argument names in the text of a schema. */
export function listNames(text: string): readonly string[] {
  const read = readArguments(text);
  return read.ok && isRecord(read.value.properties) ? Object.keys(read.value.properties) : [];
}

/** Why the text is not a JSON object. */
export function findSyntaxProblem(text: string): string | undefined {
  const read = readArguments(text);
  return read.ok ? undefined : read.problem;
}

/** The problems of rows, by row id. */
export function rowProblems(rows: readonly ArgumentRow[]): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  for (const { id, name, description } of rows) {
    if (name === '' && description !== '') problems.set(id, 'Enter a name');
    if (name !== '' && rows.some((other) => other.id !== id && other.name === name))
      problems.set(id, 'Another argument has this name');
  }
  return problems;
}

/** Whether the arguments have problems that the form marks. */
export function hasArgumentProblems({ args }: EndpointDraft): boolean {
  return args.kind === 'rows' ? rowProblems(args.rows).size > 0 : findSyntaxProblem(args.text) !== undefined;
}

function fromTable(table: ArgumentTable, inPath: readonly string[]): Pick<Endpoint, 'input' | 'query'> {
  const named = table.rows.filter(({ name }) => name !== '');
  // The default of the gateway: required texts from the path.
  if (table.isClosed && named.every((row) => inPath.includes(row.name) && isPlainText(row))) return {};
  const query = listQuery(table).filter((name) => !inPath.includes(name));
  return { input: toSchema(table), query: query.length > 0 ? query : undefined };
}

function fromText({ text, query }: { readonly text: string; readonly query: readonly string[] }) {
  const read = readArguments(text);
  if (text.trim() === '') return {};
  const known = listNames(text);
  const kept = query.filter((name) => known.includes(name));
  return { input: read.ok ? read.value : {}, query: kept.length > 0 ? kept : undefined };
}

function listQuery({ rows }: ArgumentTable): string[] {
  return rows.filter(({ name, isInQuery }) => name !== '' && isInQuery).map(({ name }) => name);
}

function toText(schema: unknown): string {
  return JSON.stringify(schema, null, 2);
}
