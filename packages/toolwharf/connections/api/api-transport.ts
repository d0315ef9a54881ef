import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { ConnectionError, messageOf } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { HttpTarget } from '../../../contract/settings/config.ts';
import { hasRawNumbers, restate } from '../../kernel/exact-json.ts';
import type { Log } from '../../kernel/log.ts';
import type { HttpAccess } from '../http/http-access.ts';
import type { ChannelSendOptions } from '../pending-request.ts';
import { type ApiTool, toApiTool } from './api-tool.ts';
import { BadArgument, buildRequest } from './build-request.ts';
import { loadDocument, unusable } from './load-document.ts';
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
    const listed = { tools: [...offer.tools.values()].map(({ definition }) => definition) };
    return hasRawNumbers(listed) ? restate(listed) : listed;
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

/** Converts an API's response to the result of a call; any status but success is an error result. */
async function readAnswer(response: Response, url: URL): Promise<JsonObject> {
  const status = `${response.status} ${response.statusText}`.trim();
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    return failure(`${status}: ${redirected(response.headers.get('location'), url)}`);
  }
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!response.ok) {
    const text = isReadable(type) ? (await response.text()).trim() : '';
    if (!isReadable(type)) await response.body?.cancel();
    return failure([`The API answered ${status}${hint(response)}`, text].filter((part) => part !== '').join('\n'));
  }
  if (isReadable(type)) {
    const text = await response.text();
    return content({ type: 'text', text: text === '' ? `The API answered ${status} without a body` : text });
  }
  const data = Buffer.from(await response.arrayBuffer()).toString('base64');
  if (data === '') return content({ type: 'text', text: `The API answered ${status} without a body` });
  const [kind] = type.split('/');
  if (kind === 'image' || kind === 'audio') return content({ type: kind, data, mimeType: type });
  // The query may contain secrets.
  const uri = `${url.origin}${url.pathname}`;
  return content({ type: 'resource', resource: { uri, mimeType: type, blob: data } });
}

function isReadable(type: string): boolean {
  return type === '' || /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-ndjson|x-www-form-urlencoded)$/.test(type);
}

function hint({ status, headers }: Response): string {
  if (status === 401 || status === 403)
    return ": the credentials of the server's configuration may be missing or wrong";
  const after = headers.get('retry-after');
  return (status === 429 || status === 503) && after !== null ? `: try again after ${after.slice(0, 40)}` : '';
}

function redirected(location: string | null, url: URL): string {
  const target = location === null ? null : URL.parse(location, url.href);
  const where = target ? `${target.origin}${target.pathname}` : 'another URL';
  return `the API redirects to ${where}, and redirects are not followed. If that is right, change the server's url`;
}

const content = (block: JsonObject): JsonObject => ({ content: [block] });
const failure = (text: string): JsonObject => ({ isError: true, content: [{ type: 'text', text }] });
