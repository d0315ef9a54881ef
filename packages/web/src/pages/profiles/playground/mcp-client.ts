import { parseExactly } from '../../../../../contract/exact-json.ts';
import { fetchFromGateway } from '../../../api/client.ts';
import { isRecord } from '../../../components/is-record.ts';

/** A JSON-RPC message. */
export type RpcMessage = Readonly<Record<string, unknown>>;

/** A request of the playground and the gateway's answer. */
export interface Exchange {
  readonly request: RpcMessage;
  readonly response: RpcMessage;
  /** Messages that came before the response, such as progress. */
  readonly notifications: readonly RpcMessage[];
  readonly durationMs: number;
}

const version = '2026-07-28';
const prefix = 'io.modelcontextprotocol';

/** The questions of servers that the playground can answer. */
export type Answerable = 'elicitation' | 'sampling';

const declared: Readonly<Record<Answerable, object>> = { elicitation: { form: {}, url: {} }, sampling: {} };

let lastId = 0;

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** The questions that the client declares to answer; none by default. */
  readonly answers?: readonly Answerable[];
}

/** Sends one request to the MCP endpoint of a profile, exactly as its clients do. */
export async function sendRequest(
  path: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { signal, answers = [] }: RequestOptions = {},
): Promise<Exchange> {
  const meta = {
    [`${prefix}/protocolVersion`]: version,
    [`${prefix}/clientInfo`]: { name: 'toolwharf-playground', version: '1' },
    [`${prefix}/clientCapabilities`]: Object.fromEntries(answers.map((name) => [name, declared[name]])),
  };
  const request = { jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta: meta } };
  const name = params.name ?? params.uri;
  const startedAt = performance.now();
  const response = await fetchFromGateway(path, {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': toHeader(name) }),
      'x-toolwharf': 'app',
    },
    body: JSON.stringify(request),
  });
  const body = await response.text();
  const messages = response.headers.get('content-type')?.startsWith('text/event-stream')
    ? readEvents(body)
    : [parseExactly(body) as RpcMessage];
  const answer = messages.find(({ id }) => id === request.id) ?? messages.at(-1) ?? {};
  return {
    request,
    response: answer,
    notifications: messages.filter((message) => message !== answer),
    durationMs: performance.now() - startedAt,
  };
}

/** A question that must be answered before a request has a result. */
export interface InputRequest {
  readonly key: string;
  readonly kind: Answerable;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The questions of a response with the type `input_required`; undefined for every other response. */
export function readInputRequests({ result }: RpcMessage): readonly InputRequest[] | undefined {
  if (!isRecord(result) || result.resultType !== 'input_required') return undefined;
  const requests = isRecord(result.inputRequests) ? Object.entries(result.inputRequests) : [];
  return requests.flatMap(([key, request]) => {
    if (!isRecord(request)) return [];
    const kind = request.method === 'sampling/createMessage' ? 'sampling' : 'elicitation';
    return [{ key, kind, params: isRecord(request.params) ? request.params : {} }];
  });
}

/** The messages of an event stream. */
export function readEvents(body: string): RpcMessage[] {
  return body.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n');
    return data === '' ? [] : [parseExactly(data) as RpcMessage];
  });
}

/** Header values are ASCII: other texts are sent in base64 brackets. */
export function toHeader(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`;
}
