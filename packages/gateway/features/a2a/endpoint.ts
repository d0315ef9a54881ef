import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AgentCard } from '@a2a-js/sdk';
import { isLegacyJsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler, LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { RequestMalformedError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { receiveArguments } from '../../../toolwharf/invocation/receive-arguments.ts';
import { programOfAgent } from '../../../toolwharf/kernel/client-program.ts';
import {
  exactMember,
  findDuplicate,
  itemTextsOf,
  jsonTextOf,
  memberWithText,
  parseJson,
  toJsonText,
  withText,
} from '../../../toolwharf/kernel/exact-json.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { version } from '../../../toolwharf/kernel/version.ts';
import { measureJson } from '../../../toolwharf/policy/measure-json.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { AppHosts } from '../../core/calls/app-hosts.ts';
import type { Traces } from '../../core/calls/traces.ts';
import type { CallerUsage } from '../../core/http/limits/limits.ts';
import type { Reservation } from '../../core/http/limits/quota.ts';
import { type McpClient, type McpEndpoint, sendRpcFailure } from '../../core/mcp/endpoint.ts';
import { openMessageStream } from '../../core/mcp/message-stream.ts';
import { sendJson } from '../../core/mcp/responder.ts';
import { RpcError, rpcCode } from '../../core/mcp/rpc.ts';
import type { View } from '../../core/mcp/view.ts';
import type { SharedTasks } from '../tasks/shared-tasks.ts';
import { toAgentCard } from './a2a.ts';
import { createRequestHandler, type HandlerPorts } from './request-handler.ts';
import { toolsOf } from './tools-of.ts';

export interface A2aParts {
  readonly toolbox: InternalToolbox;
  readonly hosts: AppHosts;
  readonly viewOf: McpEndpoint['viewOf'];
  readonly traces: Traces;
  readonly tasks: SharedTasks;
  /** The same on all replicas. */
  readonly sessionKey: Buffer;
  readonly log: Log;
  readonly waitForTools?: HandlerPorts['waitForTools'];
}

/** The parameters of an agent card. */
export interface CardRequest {
  /** The URL that receives messages. */
  readonly url: string;
  /** The card lists the tools of this client; no tools if undefined. */
  readonly client: McpClient | undefined;
  readonly needsKey: boolean;
}

interface MessageRequest extends CardRequest {
  readonly client: McpClient;
}

/** Serves the toolbox as an A2A agent: the agent card, and JSON-RPC in both protocol versions. */
export interface A2aEndpoint {
  serveCard(request: IncomingMessage, response: ServerResponse, asked: CardRequest): Promise<void>;
  serveMessage(request: IncomingMessage, response: ServerResponse, asked: MessageRequest): Promise<void>;
}

type Answer = Awaited<ReturnType<JsonRpcTransportHandler['handle'] | LegacyJsonRpcTransportHandler['handle']>>;
type Stream = Extract<Answer, AsyncGenerator>;

export function createA2aEndpoint(parts: A2aParts): A2aEndpoint {
  const { toolbox, hosts, viewOf, traces, tasks, sessionKey, log, waitForTools } = parts;
  const taskKey = createHmac('sha256', sessionKey).update('a2a tasks').digest();
  const ports: HandlerPorts = { toolbox, hosts, tasks, taskKey, traces, waitForTools };

  function cardOf({ url, needsKey }: CardRequest, view: View | undefined): AgentCard {
    const about = { profile: view?.profile.name ?? 'default', tools: view ? toolsOf(view) : [] };
    return toAgentCard({ ...about, url, needsKey, version });
  }

  async function post(request: IncomingMessage, response: ServerResponse, asked: MessageRequest): Promise<void> {
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      throw new RpcError(rpcCode.invalidRequest, 'The content type must be application/json', { httpStatus: 415 });
    using reservation = asked.client.usage.reserve('request_bytes', 0);
    const { body, bytes } = await readRequest(request, asked.client.usage, reservation);
    const spoken = versionOf(request) ?? (isLegacyJsonRpcMethod(body.method) ? '0.3' : '1.0');
    const Transport = spoken === '0.3' ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
    const id = typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null;
    const failed = (cause: unknown) => ({ jsonrpc: '2.0', id, error: toRpcFailure(cause, spoken) });
    if (spoken !== '1.0' && spoken !== '0.3') {
      const message = `A2A version ${spoken} is not supported: use 1.0 or 0.3`;
      return sendJson(response, 200, failed(new VersionNotSupportedError(message)));
    }
    if (!isReadable(body)) {
      const message = 'A message needs a list of parts, each an object';
      return sendJson(response, 200, failed(new RequestMalformedError(message)));
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const view = await viewOf(asked.client.profile);
    const { traceparent } = request.headers;
    const program = programOfAgent(request.headers['user-agent']);
    const caller = program ? { ...asked.client.caller, client: program } : asked.client.caller;
    const readView = () => viewOf(asked.client.profile);
    const facts = {
      ...asked.client,
      caller,
      view,
      readView,
      card: () => cardOf(asked, view),
      gone: gone.signal,
      bytes,
    };
    const handler = createRequestHandler(
      { ...facts, traceparent: typeof traceparent === 'string' ? traceparent : undefined },
      ports,
    );
    const answer = await new Transport(handler).handle(body, new ServerCallContext({ requestedVersion: spoken }));
    if (!isStream(answer)) return sendJson(response, 200, withParts(answer));
    using _slot = asked.client.usage.reserve('streams');
    await sendStream(response, answer, failed);
  }

  return {
    async serveCard(request, response, asked) {
      const card = cardOf(asked, asked.client && (await viewOf(asked.client.profile)));
      const text = JSON.stringify(isLegacy(versionOf(request)) ? await toLegacyCard(card) : AgentCard.toJSON(card));
      const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
      const headers = {
        'cache-control': 'no-cache',
        vary: 'authorization, cookie, a2a-version',
        etag,
        'x-content-type-options': 'nosniff',
      };
      if (request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
      else response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(text);
    },
    async serveMessage(request, response, asked) {
      try {
        await post(request, response, asked);
      } catch (cause) {
        sendRpcFailure(request, response, cause, (message) => log.error('a2a.failed', message));
      }
    },
  };
}

/** Reads one request and its approximate size. */
async function readRequest(
  request: IncomingMessage,
  usage: CallerUsage,
  reservation: Reservation,
): Promise<{ body: Record<string, unknown>; bytes: number }> {
  const body = await usage.readBody(request, reservation);
  const { bytes } = measureJson(body, { maxBytes: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY });
  if (!isObject(body)) throw new RpcError(rpcCode.invalidRequest, 'Send one request at a time', { httpStatus: 400 });
  return { body: withExactMessage(body), bytes };
}

/** The request with all digits of the numbers in its message. */
function withExactMessage(body: JsonObject): JsonObject {
  const params = memberWithText(body, 'params');
  if (!isObject(params) || !isObject(params.message)) return body;
  const duplicate = findDuplicate(jsonTextOf(body) ?? '');
  if (duplicate !== undefined)
    throw new RpcError(rpcCode.invalidParams, `${JSON.stringify(duplicate.slice(0, 100))} occurs twice in one object`);
  const message = exactMember(params, 'message');
  return { ...body, params: { ...params, message: isObject(message) ? withArgumentTexts(message) : message } };
}

/** The message with the arguments in its data parts as they are written. */
function withArgumentTexts(message: JsonObject): JsonObject {
  const texts = itemTextsOf(message, 'parts');
  if (!texts || !Array.isArray(message.parts)) return message;
  const parts = message.parts.map((part: unknown) => {
    const text = texts.next().value;
    if (text === undefined || !isObject(part) || !isObject(part.data) || !isObject(part.data.arguments)) return part;
    const data = memberWithText(parseJson(text) as JsonObject, 'data') as JsonObject;
    return { ...part, data: { ...part.data, arguments: receiveArguments(data) } };
  });
  return { ...message, parts };
}

/** Checks the shape of a message, because the SDK does not. */
function isReadable({ params }: JsonObject): boolean {
  const message = isObject(params) ? params.message : undefined;
  if (message === undefined) return true;
  return isObject(message) && Array.isArray(message.parts) && message.parts.every(isObject);
}

function versionOf({ headers }: IncomingMessage): string | undefined {
  const said = headers['a2a-version'];
  return typeof said === 'string' && said !== '' ? said : undefined;
}

/** Clients of version 0.3 and earlier may omit the version header. */
function isLegacy(said = '0.3'): boolean {
  return said.startsWith('0.');
}

/** Creates a card for both protocol versions: the legacy card with the `supportedInterfaces` of the current version. */
async function toLegacyCard(card: AgentCard): Promise<JsonObject> {
  // The SDK converts cards only through a request handler, and calls only this method of the handler.
  const handler = { getAuthenticatedExtendedAgentCard: async () => card } as unknown as A2ARequestHandler;
  const context = new ServerCallContext();
  const legacy = await new LegacyRestTransportHandler(handler).getAuthenticatedExtendedAgentCard(context);
  return { ...legacy, supportedInterfaces: card.supportedInterfaces };
}

function toRpcFailure(cause: unknown, spoken: string): object {
  return spoken === '0.3'
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(cause)
    : JsonRpcTransportHandler.mapToJSONRPCError(cause);
}

function isStream(answer: Answer): answer is Stream {
  return Symbol.asyncIterator in answer;
}

/** The answer with the parts of a result as the server wrote them, which are deep inside the task. */
function withParts(answer: object): JsonObject {
  const copy = { ...answer };
  return withText(copy, toJsonText(copy, 12));
}

/** Sends the answers as an event stream. An error before the first event is sent as a plain JSON response. */
async function sendStream(
  response: ServerResponse,
  answers: Stream,
  failed: (cause: unknown) => JsonObject,
): Promise<void> {
  let events: ReturnType<typeof openMessageStream> | undefined;
  try {
    for await (const answer of answers) {
      if (response.destroyed) return;
      events ??= openMessageStream(response);
      events.send(withParts(answer));
    }
    events?.end();
  } catch (cause) {
    if (!events) return sendJson(response, 200, failed(cause));
    events.send(failed(cause));
    events.end();
  }
}
