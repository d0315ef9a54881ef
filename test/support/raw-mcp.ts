import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Era } from '../../packages/contract/connections.ts';
import type { JsonObject } from '../../packages/contract/json.ts';

const modernVersion = '2026-07-28';

/** The minimal parameters of `initialize`. */
export const initializeParams = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

export interface RawClient extends Disposable {
  send(id: number, method: string, params: JsonObject, signal?: AbortSignal): Promise<RawAnswer>;
  notify(method: string, params: JsonObject): Promise<RawAnswer>;
}

/** A client that uses plain HTTP. */
export async function openRaw(
  url: string,
  era: Era,
  agent = new Agent(),
  meta: JsonObject = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<RawClient> {
  const opened =
    era === 'legacy' ? await post(url, agent, { id: 0, method: 'initialize', params: initializeParams }) : undefined;
  const session = { 'mcp-session-id': String(opened?.headers['mcp-session-id']) };
  const sendModern: RawClient['send'] = (id, method, params, signal) => {
    const [message, own] = modern(id, method, params, meta);
    return post(url, agent, message, { ...own, ...headers }, signal);
  };
  return {
    send: (id, method, params, signal) =>
      era === 'legacy'
        ? post(url, agent, { id, method, params }, session, signal)
        : sendModern(id, method, params, signal),
    notify: (method, params) => post(url, agent, { method, params }, session),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

function modern(
  id: number,
  method: string,
  params: JsonObject,
  meta: JsonObject,
): [message: JsonObject, headers: Record<string, string>] {
  const key = (name: string) => `io.modelcontextprotocol/${name}`;
  const _meta = { [key('protocolVersion')]: modernVersion, [key('clientCapabilities')]: {}, ...meta };
  const headers = {
    'mcp-protocol-version': modernVersion,
    'mcp-method': method,
    'mcp-name': String(params.name ?? params.uri),
  };
  return [{ id, method, params: { ...params, _meta } }, headers];
}

/** Sends one POST without an MCP client. The body of an event stream is its last message. */
export function post(
  url: string,
  agent: Agent,
  message: JsonObject,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<RawAnswer> {
  const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const options = { method: 'POST', agent, headers: { ...usual, ...headers }, ...(signal && { signal }) };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject).on('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        try {
          resolve({ status, headers: received, body: toBody(text, received['content-type']) });
        } catch (cause) {
          reject(cause);
        }
      });
    });
    sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  });
}

function toBody(text: string, type = ''): JsonObject {
  const json = type.startsWith('text/event-stream')
    ? text
        .match(/^data: (.+)$/gm)
        ?.at(-1)
        ?.slice('data: '.length)
    : text;
  return json ? (JSON.parse(json) as JsonObject) : {};
}

/** The text of the result of a tool. */
export function textOf(body: JsonObject | undefined): string | undefined {
  return (body?.result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text;
}
