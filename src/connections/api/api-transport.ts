import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { HttpTarget } from '../../config/config.ts';
import { ConnectionError, messageOf } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { Log } from '../../kernel/log.ts';
import type { HttpAccess } from '../http/http-access.ts';
import { type ApiTool, toApiTool } from './api-tool.ts';
import { BadArgument, buildRequest } from './build-request.ts';
import { loadDocument, unusable } from './load-document.ts';
import { readAnswer } from './read-answer.ts';
import { type OpenApiTools, readOpenApi } from './read-openapi.ts';

export interface ApiTransportOptions {
  readonly server: string;
  readonly target: HttpTarget;
  readonly access: HttpAccess;
  readonly log: Log;
}

interface ApiOffer extends Pick<OpenApiTools, 'title' | 'version'> {
  readonly tools: ReadonlyMap<string, ApiTool>;
}

/**
 * An HTTP API as an MCP server: it speaks the protocol to us, and plain HTTP to the API. So everything that holds for the tools of
 * servers holds for its endpoints.
 */
export function createApiTransport({ server, target, access, log }: ApiTransportOptions): Transport {
  const base = new URL(target.url);
  const running = new Map<unknown, AbortController>();
  let offer: ApiOffer | undefined;
  /** The greeting has read the document a moment ago. */
  let isFresh = false;
  let isClosed = false;

  async function readOffer(signal: AbortSignal): Promise<ApiOffer> {
    const { openapi: place, endpoints = [] } = target;
    const document =
      place === undefined ? undefined : toTools(await loadDocument({ place, base, access, signal }), place);
    if (document && document.skipped.length > 0)
      log.info('api.operations-skipped', skippedWords(server, document), {
        server,
        skipped: document.skipped.length,
      });
    // What was described by hand is what somebody wanted.
    const tools = [...(document?.tools ?? []), ...endpoints.map(toApiTool)];
    return {
      ...(document?.title !== undefined && { title: document.title }),
      ...(document?.version !== undefined && { version: document.version }),
      tools: new Map(tools.map((tool) => [tool.definition.name, tool])),
    };
  }

  /** Any answer shows that somebody is there, even that there is nothing at this address; a gateway's own does not. */
  async function assertAnswers(signal: AbortSignal): Promise<void> {
    const response = await access.fetch(base, { method: 'HEAD', headers: access.headers, signal });
    await response.body?.cancel();
    if (response.status < 502 || response.status > 504) return;
    throw new ConnectionError('SERVER_UNREACHABLE', `The API is not there: HTTP ${response.status}`, {
      data: { reached: false, httpStatus: response.status },
    });
  }

  async function greet(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    await assertAnswers(signal);
    offer = await readOffer(signal);
    isFresh = true;
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: offer.title ?? server, version: offer.version ?? '' },
    };
  }

  async function list(signal: AbortSignal): Promise<JsonObject> {
    if (!offer || !isFresh) offer = await readOffer(signal);
    isFresh = false;
    return { tools: [...offer.tools.values()].map(({ definition }) => definition) };
  }

  async function call(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const tool = offer?.tools.get(String(params.name));
    if (!tool) throw new RpcError(-32602, `There is no tool '${String(params.name)}'`);
    try {
      const { url, method, headers, body } = buildRequest(
        tool,
        isObject(params.arguments) ? params.arguments : {},
        base,
      );
      // What is configured wins over what a model asks for.
      const sent = {
        method,
        headers: { ...headers, ...lowerCased(access.headers) },
        signal,
        ...(body !== undefined && { body }),
      };
      return await readAnswer(await access.fetch(url, sent), url);
    } catch (cause) {
      if (!(cause instanceof BadArgument)) throw cause;
      return { isError: true, content: [{ type: 'text', text: cause.message }] };
    }
  }

  async function answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    switch (method) {
      case 'initialize':
        return greet(params, signal);
      case 'ping':
        await assertAnswers(signal);
        return {};
      case 'tools/list':
        return list(signal);
      case 'tools/call':
        return call(params, signal);
      default:
        throw new RpcError(-32601, `An API knows no '${method}'`);
    }
  }

  const transport: Transport = {
    start: async () => {},
    async send(message) {
      if (isClosed)
        throw new ConnectionError('SERVER_DISCONNECTED', 'The connection was closed', { data: { reached: false } });
      if (!('method' in message)) return;
      const params = (message.params ?? {}) as JsonObject;
      if (!('id' in message)) {
        if (message.method === 'notifications/cancelled') running.get(params.requestId)?.abort();
        return;
      }
      const { id, method } = message;
      const stop = new AbortController();
      running.set(id, stop);
      try {
        reply({ jsonrpc: '2.0', id, result: await answer(method, params, stop.signal) });
      } catch (cause) {
        // Nobody waits for it any more.
        if (stop.signal.aborted) return;
        if (!(cause instanceof RpcError)) throw cause;
        reply({ jsonrpc: '2.0', id, error: { code: cause.code, message: cause.message } });
      } finally {
        running.delete(id);
      }
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      for (const stop of running.values()) stop.abort();
      transport.onclose?.();
    },
  };
  const reply = (message: JSONRPCMessage) => transport.onmessage?.(message);
  return transport;
}

class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

function toTools(document: unknown, place: string): OpenApiTools {
  try {
    return readOpenApi(document);
  } catch (cause) {
    throw unusable(place, messageOf(cause));
  }
}

function skippedWords(server: string, { skipped }: OpenApiTools): string {
  const named = skipped.slice(0, 5).map(({ name, reason }) => `${name} (${reason})`);
  const more = skipped.length > 5 ? ` and ${skipped.length - 5} more` : '';
  return `Server '${server}': ${skipped.length} of its operations can't be tools: ${named.join(', ')}${more}`;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
