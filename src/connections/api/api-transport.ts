import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { HttpTarget } from '../../config/config.ts';
import { ConnectionError, messageOf } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { Log } from '../../kernel/log.ts';
import type { HttpAccess } from '../http/http-access.ts';
import type { ChannelSendOptions } from '../pending-request.ts';
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

interface AnswerOptions extends Pick<ChannelSendOptions, 'reply'> {
  readonly signal: AbortSignal;
}

interface ApiOffer extends Pick<OpenApiTools, 'title' | 'version'> {
  readonly tools: ReadonlyMap<string, ApiTool>;
}

/** Presents an HTTP API as an MCP server, so that its endpoints are tools like all others. */
export function createApiTransport({ server, target, access, log }: ApiTransportOptions): Transport {
  const base = new URL(target.url);
  const running = new Map<unknown, AbortController>();
  let offer: ApiOffer | undefined;
  /** True if `initialize` has just read the document. */
  let isFresh = false;
  let isClosed = false;

  async function readOffer(signal: AbortSignal): Promise<ApiOffer> {
    const { openapi: location, endpoints = [] } = target;
    const document =
      location === undefined
        ? undefined
        : toTools(await loadDocument({ place: location, base, access, signal }), location);
    if (document && document.skipped.length > 0)
      log.info('api.operations-skipped', describeSkipped(server, document), {
        server,
        skipped: document.skipped.length,
      });
    // Configured endpoints replace operations of the same name.
    const tools = [...(document?.tools ?? []), ...endpoints.map(toApiTool)];
    return {
      title: document?.title,
      version: document?.version,
      tools: new Map(tools.map((tool) => [tool.definition.name, tool])),
    };
  }

  /** Any response shows that the API is up, even 404; an error of a gateway in front of it does not. */
  async function assertAnswers(signal: AbortSignal): Promise<void> {
    const response = await access.fetch(base, { method: 'HEAD', headers: access.headers, signal });
    await response.body?.cancel();
    if (response.status < 502 || response.status > 504) return;
    throw new ConnectionError('SERVER_UNREACHABLE', `The API is not available: HTTP ${response.status}`, {
      data: { reached: false, httpStatus: response.status },
    });
  }

  async function initialize(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
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

  async function call(params: JsonObject, { signal, reply }: AnswerOptions): Promise<JsonObject> {
    const tool = offer?.tools.get(String(params.name));
    if (!tool) throw new RpcError(-32602, `There is no tool '${String(params.name)}'`);
    try {
      const { url, method, headers, body } = buildRequest(
        tool,
        isObject(params.arguments) ? params.arguments : {},
        base,
      );
      // Configured headers override those of the arguments.
      const sent = {
        method,
        headers: { ...headers, ...withLowerCaseNames(access.headers) },
        signal,
        body,
        reply,
      };
      return await readAnswer(await access.fetch(url, sent), url);
    } catch (cause) {
      if (!(cause instanceof BadArgument)) throw cause;
      return { isError: true, content: [{ type: 'text', text: cause.message }] };
    }
  }

  async function answer(method: string, params: JsonObject, options: AnswerOptions): Promise<JsonObject> {
    const { signal } = options;
    switch (method) {
      case 'initialize':
        return initialize(params, signal);
      case 'ping':
        await assertAnswers(signal);
        return {};
      case 'tools/list':
        return list(signal);
      case 'tools/call':
        return call(params, options);
      default:
        throw new RpcError(-32601, `An HTTP API has no '${method}'`);
    }
  }

  const transport: Transport = {
    start: async () => {},
    async send(message, { reply: meter }: ChannelSendOptions = {}) {
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
        reply({ jsonrpc: '2.0', id, result: await answer(method, params, { signal: stop.signal, reply: meter }) });
      } catch (cause) {
        // The request was cancelled.
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

function describeSkipped(server: string, { skipped }: OpenApiTools): string {
  const named = skipped.slice(0, 5).map(({ name, reason }) => `${name} (${reason})`);
  const more = skipped.length > 5 ? ` and ${skipped.length - 5} more` : '';
  return `Server '${server}': ${skipped.length} of its operations cannot become tools: ${named.join(', ')}${more}`;
}

function withLowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
