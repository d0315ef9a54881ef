import type { z } from 'zod';
import { parseExactly } from './exact-json.ts';
import type { RouteDefinitions } from './routes/define-routes.ts';

/** The method and path of each operation: all that a client needs when it runs. */
export type Operations<Routes extends RouteDefinitions> = Readonly<
  Record<keyof Routes, readonly [method: string, path: string]>
>;

export interface ClientOptions {
  /** Default: the origin of the page. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** One function for each operation, named like it. `Stream` is what operations that stream events return. */
export type Client<Routes extends RouteDefinitions, Stream = Response> = {
  readonly [Id in keyof Routes]: object extends RequestOf<Routes[Id]>
    ? (request?: RequestOf<Routes[Id]>) => Promise<AnswerOf<Routes[Id], Stream>>
    : (request: RequestOf<Routes[Id]>) => Promise<AnswerOf<Routes[Id], Stream>>;
};

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string;
  /** With its parameters and the query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Creates the functions of a table of operations over any transport. */
export function createFunctions<Routes extends RouteDefinitions, Stream>(
  operations: Operations<Routes>,
  send: (request: SentRequest) => Promise<unknown>,
  toText: (body: unknown) => string = JSON.stringify,
): Client<Routes, Stream> {
  const functions = Object.entries<readonly [string, string]>(operations).map(([id, [method, path]]) => [
    id,
    ({ path: parameters, query, body, signal }: AnyRequest = {}) =>
      send({
        method: method.toUpperCase(),
        path: fillIn(path, parameters) + toQuery(query),
        body: body === undefined ? undefined : toText(body),
        signal,
      }),
  ]);
  return Object.fromEntries(functions);
}

/**
 * Creates a client that uses `fetch`. Error responses throw an `ApiError`. A number that JavaScript would write otherwise, such as
 * 9007199254740993, is a `RawNumber`.
 */
export function createClient<Routes extends RouteDefinitions>(
  operations: Operations<Routes>,
  { baseUrl = '', headers, fetch = (request) => globalThis.fetch(request) }: ClientOptions = {},
): Client<Routes> {
  return createFunctions(operations, async ({ path, body, ...request }) => {
    const json = body !== undefined && { body, headers: { 'content-type': 'application/json', ...headers } };
    return readResponse(await fetch(new Request(baseUrl + path, { headers, ...request, ...json })));
  });
}

/** An error response of the gateway. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly data: unknown;

  constructor(status: number, code: string, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

/** JSON as a program may read it. */
type Immutable<Value> = Value extends object ? { readonly [Key in keyof Value]: Immutable<Value[Key]> } : Value;

/** What a client sends of a schema. */
export type Sent<Schema extends z.ZodType> = Immutable<z.input<Schema>>;

/** What a client receives of a schema. */
export type Received<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/** The events of a stream, by name. */
export type ReceivedEvents<Route extends { readonly streams: Readonly<Record<string, z.ZodType>> }> = {
  readonly [Name in keyof Route['streams']]: Received<Route['streams'][Name]>;
};

type RequestOf<Route> = PathOf<Route> & QueryOf<Route> & BodyOf<Route> & { readonly signal?: AbortSignal };

type PathOf<Route> = Route extends { readonly params: infer Schema extends z.ZodType }
  ? { readonly path: Sent<Schema> }
  : object;

type QueryOf<Route> = Route extends { readonly query: infer Schema extends z.ZodType }
  ? object extends z.input<Schema>
    ? { readonly query?: Sent<Schema> }
    : { readonly query: Sent<Schema> }
  : object;

type BodyOf<Route> = Route extends { readonly body: infer Schema extends z.ZodType }
  ? { readonly body: Sent<Schema> }
  : object;

/** The answer; the text of a file; the stream of events. */
type AnswerOf<Route, Stream> = Route extends { readonly answer: infer Schema extends z.ZodType }
  ? Received<Schema>
  : Route extends { readonly files: object }
    ? string
    : Route extends { readonly streams: object }
      ? Stream
      : undefined;

interface AnyRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

function fillIn(path: string, parameters: AnyRequest['path'] = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''));
}

function toQuery(query: AnyRequest['query'] = {}): string {
  const members = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) members.set(name, `${value}`);
  const text = members.toString();
  return text && `?${text}`;
}

async function readResponse(response: Response): Promise<unknown> {
  if (!response.ok) throw await toApiError(response);
  if (response.status === 204) return undefined;
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  if (response.headers.has('content-disposition')) return response.text();
  return parseExactly(await response.text());
}

async function toApiError(response: Response): Promise<ApiError> {
  const { error } = await readError(response);
  const { code = 'INTERNAL', message = response.statusText, data } = error ?? {};
  return new ApiError(response.status, code, message, data);
}

interface ErrorResponse {
  readonly error?: { readonly code?: string; readonly message?: string; readonly data?: unknown };
}

/** Proxies in front of the gateway respond with errors of their own. */
async function readError(response: Response): Promise<ErrorResponse> {
  try {
    return (await response.json()) ?? {};
  } catch {
    return {};
  }
}
