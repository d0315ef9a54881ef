import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type FetchLike,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { ProtocolError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { userAgent } from '../../kernel/version.ts';
import type { ChannelSendOptions } from '../channel.ts';
import type { PoolFetch } from './pool-fetch.ts';
import { whenBroken } from './pool-response.ts';

/** A response that is there already, for whoever fetches it. */
const fetched = new AsyncLocalStorage<{ response: Response | undefined }>();

/**
 * Gives the SDK the response that `postDirectly` got and did not know what to do with, instead of asking again. The SDK says of a stream
 * only that it ended; `onBroken` is told why, with what was asked.
 */
export function fetchingOnce(fetch: FetchLike, onBroken: (body: unknown, cause: unknown) => void): FetchLike {
  return async (input, init) => {
    const kept = fetched.getStore();
    const response = kept?.response ?? (await fetch(input, init));
    if (kept) kept.response = undefined;
    whenBroken(response, (cause) => onBroken(init?.body, cause));
    return response;
  };
}

// Sets of headers that are kept, one for each tool.
const maxKept = 1_000;

export interface DirectPostOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly post: PoolFetch['post'];
}

/**
 * Sends calls of tools without the SDK's way of doing it, which costs several times the exchange itself. Everything that is not a plain
 * JSON answer (a stream, a refusal, a redirect) is the SDK's: it gets the response, and nothing is sent twice.
 */
export function postDirectly(
  transport: StreamableHTTPClientTransport,
  { url, headers, post }: DirectPostOptions,
): StreamableHTTPClientTransport {
  const send = transport.send.bind(transport);
  const base = {
    'user-agent': userAgent,
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'identity',
  };
  let made = { sessionId: '', protocolVersion: '', byName: new Map<string, Readonly<Record<string, string>>>() };

  /** What the SDK would send for a call of this tool; made again when the session or the version is another. */
  function headersFor(name: string, era: string | undefined): Readonly<Record<string, string>> {
    const { sessionId = '', protocolVersion = '' } = transport;
    if (made.sessionId !== sessionId || made.protocolVersion !== protocolVersion || made.byName.size >= maxKept)
      made = { sessionId, protocolVersion, byName: new Map() };
    const key = era === undefined ? '' : `${era} ${name}`;
    const known = made.byName.get(key);
    if (known) return known;
    const all = {
      ...base,
      ...(sessionId !== '' && { 'mcp-session-id': sessionId }),
      ...(protocolVersion !== '' && { 'mcp-protocol-version': protocolVersion }),
      // In the modern era the message says it all, and the headers say it again.
      ...(era !== undefined && { 'mcp-protocol-version': era, 'mcp-method': 'tools/call', 'mcp-name': name }),
    };
    made.byName.set(key, all);
    return all;
  }

  async function sendCall(message: JSONRPCMessage, options: ChannelSendOptions, name: string): Promise<void> {
    const usual = headersFor(name, versionIn(message));
    const all = options.headers ? { ...options.headers, ...usual } : usual;
    const answer = await post(url, all, JSON.stringify(message), options.onEnded);
    if (answer.text === undefined) {
      await fetched.run({ response: answer.toResponse() }, () => send(message, options));
      return;
    }
    const data: unknown = JSON.parse(answer.text);
    for (const reply of Array.isArray(data) ? data : [data]) {
      if (!isObject(reply))
        throw new ProtocolError('SERVER_PROTOCOL', 'The server answered with JSON that is no message');
      transport.onmessage?.(reply as JSONRPCMessage);
    }
  }

  transport.send = (message, options: ChannelSendOptions = {}) => {
    const name = options.onEnded && callOf(message);
    if (name === undefined) return send(message, options);
    return sendCall(message as JSONRPCMessage, options, name);
  };
  return transport;
}

function versionIn(message: JSONRPCMessage): string | undefined {
  const { params } = message as { readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> } };
  const version = params?._meta?.[PROTOCOL_VERSION_META_KEY];
  return typeof version === 'string' ? version : undefined;
}

/** The tool that a message calls, where its name can be a header as it is. */
function callOf(message: unknown): string | undefined {
  if (!isObject(message) || message.method !== 'tools/call' || !isObject(message.params)) return undefined;
  const { name } = message.params;
  return typeof name === 'string' && /^[\w./-]+$/.test(name) ? name : undefined;
}
