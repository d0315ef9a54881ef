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
const capabilities = {
  [`${prefix}/protocolVersion`]: version,
  [`${prefix}/clientInfo`]: { name: 'toolwharf-playground', version: '1' },
  // The playground declares that it answers no questions of servers.
  [`${prefix}/clientCapabilities`]: {},
};

let lastId = 0;

/** Sends one request to the MCP endpoint of a profile, exactly as its clients do. */
export async function sendRequest(
  path: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  signal?: AbortSignal,
): Promise<Exchange> {
  const request = { jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta: capabilities } };
  const name = params.name ?? params.uri;
  const startedAt = performance.now();
  const response = await fetch(path, {
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
    : [JSON.parse(body) as RpcMessage];
  const answer = messages.find(({ id }) => id === request.id) ?? messages.at(-1) ?? {};
  return {
    request,
    response: answer,
    notifications: messages.filter((message) => message !== answer),
    durationMs: performance.now() - startedAt,
  };
}

/** The messages of an event stream. */
export function readEvents(body: string): RpcMessage[] {
  return body.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n');
    return data === '' ? [] : [JSON.parse(data) as RpcMessage];
  });
}

/** Header values are ASCII: other texts are sent in base64 brackets. */
export function toHeader(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`;
}
