import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { ServerSpec } from '../config/config.ts';
import { resolveEnv } from '../config/references.ts';
import { isSecretName } from '../config/secret-names.ts';
import { ConnectionError, ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { Redactor } from '../kernel/redact.ts';
import { version } from '../kernel/version.ts';
import { type Channel, createChannel } from './channel.ts';
import { fetchingOnce, postDirectly } from './http/direct-post.ts';
import { sendWithSignal } from './http/send-with-signal.ts';
import type { HttpAccess } from './http-access.ts';
import { answerQuestion, capabilitiesFor, type Questions } from './questions.ts';
import { addressOf, type SessionMemory } from './session-memory.ts';
import type { Era } from './status.ts';
import type { StderrTail } from './stderr-tail.ts';
import { createStdioTransport, type StdioTransport } from './stdio/stdio-transport.ts';
import { toConnectError } from './to-connect-error.ts';

export interface SessionOptions {
  readonly questions: Questions;
  readonly memory: SessionMemory;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: StderrTail;
  /** Learns the server's secrets as they are resolved. */
  readonly redactor: Redactor;
  /** For a server that is reached over HTTP. */
  readonly openHttp?: () => Promise<HttpAccess>;
  readonly maxMessageBytes: number;
  readonly logLevel?: string;
  /** With the calls it may belong to. */
  readonly onNotification: (method: string, params: JsonObject, callIds: readonly string[]) => void;
  /** The session broke by itself; never called after `close`. */
  readonly onLost: (cause: ToolwharfError) => void;
  readonly signal: AbortSignal;
}

/** One live protocol session with a server, handshake done. */
export interface Session {
  readonly channel: Channel;
  readonly client: Client;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly era: Era;
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject | undefined;
  readonly instructions: string | undefined;
  readonly pid: number | undefined;
  close(): Promise<void>;
}

type TransportKind = Session['transport'];

/** Opens a session: finds the transport and the protocol era, and remembers both for the next time. */
export async function openSession(spec: ServerSpec, options: SessionOptions): Promise<Session> {
  const address = addressOf(spec);
  const remembered = options.memory.get(address);
  try {
    const session = await openFirst(spec, remembered?.transport, remembered?.era, options);
    options.memory.set(address, { era: session.era, transport: session.transport });
    return session;
  } catch (cause) {
    // What we remember may be what is wrong: the next try asks again.
    options.memory.delete(address);
    throw toConnectError(spec, cause, options.stderr);
  }
}

async function openFirst(
  spec: ServerSpec,
  transport: TransportKind | undefined,
  era: Era | undefined,
  options: SessionOptions,
): Promise<Session> {
  const { target } = spec;
  if (target.transport === 'stdio') return openStdio(spec, era, options);
  const choice = target.transport === 'auto' ? (transport ?? 'auto') : target.transport;
  if (choice !== 'auto') return openOver(choice as TransportKind, spec, era, options);
  try {
    return await openOver('http', spec, era, options);
  } catch (cause) {
    if (!meansOldTransport(cause) || options.signal.aborted) throw cause;
    return openOver('sse', spec, 'legacy', options).catch(() => {
      throw cause;
    });
  }
}

async function openStdio(spec: ServerSpec, era: Era | undefined, options: SessionOptions): Promise<Session> {
  try {
    return await openOver('stdio', spec, era, options);
  } catch (cause) {
    // Some servers of the legacy era end when they are asked anything before `initialize`: ask a fresh one just that.
    const diedAsked = cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed;
    if (spec.protocol !== 'auto' || era === 'legacy' || !diedAsked || options.signal.aborted) throw cause;
    return openOver('stdio', spec, 'legacy', options);
  }
}

async function openOver(
  kind: TransportKind,
  spec: ServerSpec,
  era: Era | undefined,
  options: SessionOptions,
): Promise<Session> {
  const http = kind === 'stdio' ? undefined : await options.openHttp?.();
  const attempt = () => handshake(kind, spec, era, http, options);
  try {
    return await attempt().catch(async (cause) => {
      if (!http?.authorize || !isSignInWanted(cause)) throw cause;
      await http.authorize(options.signal);
      return attempt();
    });
  } catch (cause) {
    await http?.close();
    throw cause;
  }
}

async function handshake(
  kind: TransportKind,
  spec: ServerSpec,
  era: Era | undefined,
  http: HttpAccess | undefined,
  options: SessionOptions,
): Promise<Session> {
  let channel: Channel | undefined;
  let breach: string | undefined;
  const inner = createTransport(kind, spec, http, options, {
    onUnreadable: (edges, reason) => channel?.failUnreadable(edges, reason),
    onBroken(body, cause) {
      // What the network did to a stream shows in its end; this is what we found in it.
      if (!(cause instanceof ToolwharfError)) return;
      if (typeof body === 'string') return channel?.fail((JSON.parse(body) as JsonObject).id, cause);
      breach = cause.message;
      // Over the old transport one stream brings all answers.
      if (kind === 'sse') channel?.failUnreadable('{', cause.message);
    },
  });
  channel = createChannel(inner, { ...(http && { onUnasked: http.pace.note }) });
  const client = createClient(spec, kind, channel, options);
  const state = { open: false, closing: false };
  channel.onerror = (cause) => {
    options.log.debug('connection.noise', `Server '${spec.name}': ${cause.message}`, { server: spec.name });
    // An event stream that broke has lost the server's session with it, though the transport would carry on without.
    if (kind === 'sse' && state.open && !state.closing) lose(breach ?? 'The event stream broke');
    if (kind === 'http' && state.open && /^Maximum reconnection attempts/.test(cause.message))
      lose('The event stream broke');
  };
  client.onclose = () => {
    if (state.open && !state.closing) lose((inner as Partial<StdioTransport>).ending ?? 'The connection was closed');
  };

  function lose(reason: string): void {
    state.closing = true;
    const text = kind === 'stdio' ? `The server's process ${reason}` : reason;
    options.onLost(new ConnectionError('SERVER_DISCONNECTED', text));
    void close();
  }
  async function close(): Promise<void> {
    state.closing = true;
    if (inner instanceof StreamableHTTPClientTransport) await endHttpSession(inner);
    await client.close().catch(() => {});
    await inner.close().catch(() => {});
    await http?.close();
  }

  const cancel = () => void inner.close();
  options.signal.addEventListener('abort', cancel, { once: true });
  try {
    options.signal.throwIfAborted();
    await client.connect(channel, {
      timeout: spec.timeoutMs,
      signal: options.signal,
      ...(spec.protocol === 'auto' && era === 'legacy' && { prior: { kind: 'legacy' as const } }),
    });
  } catch (cause) {
    state.closing = true;
    await inner.close().catch(() => {});
    if (options.signal.aborted) throw options.signal.reason;
    throw kind === 'stdio' ? describeEnd(inner, cause) : ownError(cause);
  } finally {
    options.signal.removeEventListener('abort', cancel);
  }

  const protocolVersion = client.getNegotiatedProtocolVersion() ?? '';
  const negotiated: Era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy';
  if (negotiated === 'modern') channel.envelope = envelopeFor(protocolVersion, options);
  state.open = true;
  return {
    channel,
    client,
    transport: kind,
    era: negotiated,
    protocolVersion,
    capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
    serverInfo: client.getServerVersion() as JsonObject | undefined,
    instructions: client.getInstructions(),
    pid: (inner as Partial<StdioTransport>).pid ?? undefined,
    close,
  };
}

/** A closed pipe says little: the process's own end says more. The question which era it speaks keeps its own error. */
function describeEnd(inner: Transport, cause: unknown): unknown {
  const { ending } = inner as Partial<StdioTransport>;
  const asked = cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed;
  if (ending === undefined || asked) return cause;
  return new ConnectionError('SERVER_DISCONNECTED', `The server's process ${ending}`, {
    cause,
    data: { reached: false },
  });
}

/** Our own error, where the SDK has only put words before it: a sign-in that failed stays one. */
function ownError(cause: unknown): unknown {
  return cause instanceof SdkError && cause.cause instanceof ToolwharfError ? cause.cause : cause;
}

function createClient(spec: ServerSpec, kind: TransportKind, channel: Channel, options: SessionOptions): Client {
  const client = new Client(clientInfo, {
    capabilities: capabilitiesFor(options.questions),
    versionNegotiation: negotiationFor(spec, kind),
  });
  // Questions are answered raw, in one place for both eras; the SDK only carries them.
  client.fallbackRequestHandler = async (request, context) =>
    (await answerQuestion(options.questions, request.method, (request.params ?? {}) as JsonObject, {
      server: spec.name,
      signal: context.mcpReq.signal,
      ...callsOf(channel),
    })) as Record<string, unknown>;
  client.fallbackNotificationHandler = async (notification) =>
    options.onNotification(notification.method, (notification.params ?? {}) as JsonObject, channel.callsAtHand);
  return client;
}

function callsOf({ callsAtHand }: Channel): { readonly callId?: string; readonly callIds?: readonly string[] } {
  const [callId, ...others] = callsAtHand;
  if (callId === undefined) return {};
  return others.length === 0 ? { callId } : { callIds: callsAtHand };
}

const clientInfo = { name: 'toolwharf', version };

function negotiationFor(spec: ServerSpec, kind: TransportKind) {
  if (spec.protocol === 'legacy' || kind === 'sse') return undefined;
  if (spec.protocol === 'modern') return { mode: { pin: '2026-07-28' } } as const;
  // A child that says nothing to the question is a legacy one; it should not cost the whole timeout to find out.
  return {
    mode: 'auto',
    ...(kind === 'stdio' && { probe: { timeoutMs: Math.min(3_000, spec.timeoutMs / 3) } }),
  } as const;
}

function envelopeFor(protocolVersion: string, options: SessionOptions): JsonObject {
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: capabilitiesFor(options.questions),
    ...(options.logLevel !== undefined && { [LOG_LEVEL_META_KEY]: options.logLevel }),
  };
}

interface TransportListeners {
  /** A message of a child was too large to be read; with its first and last characters. */
  readonly onUnreadable: (edges: string, reason: string) => void;
  /** A stream broke off while it was read; with what was asked for by it. */
  readonly onBroken: (body: unknown, cause: unknown) => void;
}

function createTransport(
  kind: TransportKind,
  spec: ServerSpec,
  http: HttpAccess | undefined,
  options: SessionOptions,
  { onUnreadable, onBroken }: TransportListeners,
): Transport {
  const { target } = spec;
  if (target.transport === 'stdio') {
    const env = resolveEnv(target.env, { env: options.env, log: options.log });
    for (const [name, value] of Object.entries(env)) {
      if (value !== target.env[name] || isSecretName(name)) options.redactor.add(value);
    }
    return createStdioTransport({
      command: target.command,
      args: target.args.map(
        (arg) => resolveEnv({ argument: arg }, { env: options.env, log: options.log }).argument ?? '',
      ),
      env,
      ...(target.cwd !== undefined && { cwd: target.cwd }),
      stderr: options.stderr,
      maxMessageBytes: options.maxMessageBytes,
      onNoise: (noise) => {
        if (noise.kind === 'oversize') {
          const limit = `${options.maxMessageBytes} bytes`;
          onUnreadable(
            noise.line.edges,
            `The server sent a message of ${noise.line.bytes} bytes; at most ${limit} are read`,
          );
        }
        options.log.debug('connection.noise', `Server '${spec.name}' printed something that is not a message`, {
          server: spec.name,
        });
      },
    });
  }
  const access = http as HttpAccess;
  const init = {
    fetch: fetchingOnce(access.fetch, onBroken),
    requestInit: { headers: access.headers },
    ...(access.authProvider && { authProvider: access.authProvider }),
  };
  if (kind === 'sse') return new SSEClientTransport(new URL(target.url), init);
  const url = new URL(target.url);
  const transport = new StreamableHTTPClientTransport(url, {
    ...init,
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 10_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
  });
  const { post, headers } = access;
  return post ? postDirectly(sendWithSignal(transport), { url, headers, post }) : sendWithSignal(transport);
}

/** Tells the server we are done with its session; one that is gone or slow is not waited for. */
async function endHttpSession(transport: StreamableHTTPClientTransport): Promise<void> {
  if (transport.sessionId === undefined) return;
  const patience = new Promise<void>((resolve) => setTimeout(resolve, 1_000).unref());
  await Promise.race([transport.terminateSession().catch(() => {}), patience]);
}

function meansOldTransport(cause: unknown): boolean {
  const status = (cause as { data?: { status?: unknown; httpStatus?: unknown } } | undefined)?.data;
  return [400, 404, 405].includes((status?.status ?? status?.httpStatus) as number);
}

function isSignInWanted(cause: unknown): boolean {
  return (
    (cause instanceof Error && cause.name === 'UnauthorizedError') ||
    (cause instanceof ToolwharfError && cause.code === 'OAUTH_REQUIRED')
  );
}
