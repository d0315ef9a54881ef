import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SSEClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { HttpTarget, ServerSpec } from '../config/config.ts';
import { ConnectionError, ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { version } from '../kernel/version.ts';
import { type Channel, createChannel } from './channel.ts';
import type { HttpAccess } from './http/http-access.ts';
import { whenBroken } from './http/pool-response.ts';
import { createStreamableHttpTransport, type StreamableHttpTransport } from './http/streamable-http-transport.ts';
import { capabilitiesFor } from './questions.ts';
import { isSdkError } from './sdk-errors.ts';
import { createServerMessages } from './server-messages.ts';
import type { Session, SessionOptions } from './session.ts';
import type { Era } from './status.ts';
import type { StdioTransport } from './stdio/stdio-transport.ts';

/** What a session is had over: a process that runs already, or an address. */
export type Way =
  | { readonly kind: 'stdio'; readonly process: StdioTransport }
  | { readonly kind: 'http' | 'sse' | 'api'; readonly http: HttpAccess };

/** Greets a server and keeps the session. Everything that needs the SDK is behind this, and loaded when it is first needed. */
export async function handshake(
  spec: ServerSpec,
  way: Way,
  era: Era | undefined,
  options: SessionOptions,
): Promise<Session> {
  const { kind } = way;
  const process = way.kind === 'stdio' ? way.process : undefined;
  const http = way.kind === 'stdio' ? undefined : way.http;
  let breach: string | undefined;
  const onBroken = (cause: unknown) => {
    // The end of the stream reports what the network did to it; this reports what it contained.
    if (!(cause instanceof ToolwharfError)) return;
    breach = cause.message;
    channel.failUnreadable('{', cause.message);
  };
  const inner = await createTransport(spec, way, onBroken, options);
  const { questions, onNotification } = options;
  const serverMessages = createServerMessages({
    server: spec.name,
    questions,
    send: (message) => channel.send(message),
    onNotification,
  });
  const channel: Channel = createChannel(inner, {
    onUnasked: http?.throttle.count,
    // Servers of the modern era send no requests: the SDK drops them.
    onServerMessage: (message, owner) =>
      (channel.envelope === undefined || message.id === undefined) && serverMessages.receive(message, owner),
  });
  if (process) process.onunreadable = channel.failUnreadable;
  const client = createClient(spec, kind, options);
  const state = { open: false, closing: false };
  channel.onerror = (cause) => {
    options.log.debug('connection.noise', `Server '${spec.name}': ${cause.message}`, { server: spec.name });
    // An event stream that broke has lost the server's session with it, though the transport would carry on without.
    if (kind === 'sse' && state.open && !state.closing) lose(breach ?? 'The event stream broke');
  };
  const streamable = kind === 'http' ? (inner as StreamableHttpTransport) : undefined;
  if (streamable) {
    streamable.onstreamlost = () => {
      if (state.open && !state.closing) lose('The event stream broke');
    };
  }
  client.onclose = () => {
    serverMessages.close();
    if (state.open && !state.closing) lose(process?.ending ?? 'The connection was closed');
  };

  function lose(reason: string): void {
    state.closing = true;
    const text = process ? `The server's process ${reason}` : reason;
    options.onLost(new ConnectionError('SERVER_DISCONNECTED', text));
    void close();
  }
  async function close(): Promise<void> {
    state.closing = true;
    await streamable?.terminateSession();
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
    throw process ? describeEnd(process, cause) : ownError(cause);
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
    pid: process?.pid ?? undefined,
    lifetime: new AbortController(),
    close,
  };
}

async function createTransport(
  spec: ServerSpec,
  way: Way,
  onBroken: (cause: unknown) => void,
  { log }: SessionOptions,
): Promise<Transport> {
  if (way.kind === 'stdio') return way.process;
  const target = spec.target as HttpTarget;
  if (way.kind === 'http') return createStreamableHttpTransport(new URL(target.url), way.http);
  if (way.kind === 'sse') return createSseTransport(new URL(target.url), way.http, onBroken);
  const { createApiTransport } = await import('./api/api-transport.ts');
  return createApiTransport({ server: spec.name, target, access: way.http, log });
}

/** The transport of servers before 2025: one event stream delivers all replies. */
function createSseTransport(url: URL, access: HttpAccess, onBroken: (cause: unknown) => void): Transport {
  return new SSEClientTransport(url, {
    async fetch(input, init) {
      const response = await access.fetch(input, init);
      whenBroken(response, onBroken);
      return response;
    },
    requestInit: { headers: access.headers },
    authProvider: access.authProvider,
  });
}

/** A closed pipe says little: the process's own end says more. The question which era it speaks keeps its own error. */
function describeEnd({ ending }: StdioTransport, cause: unknown): unknown {
  if (ending === undefined || isSdkError(cause, 'ERA_NEGOTIATION_FAILED')) return cause;
  return new ConnectionError('SERVER_DISCONNECTED', `The server's process ${ending}`, {
    cause,
    data: { reached: false },
  });
}

/** Our own error, where the SDK has only put words before it: a sign-in that failed stays one. */
function ownError(cause: unknown): unknown {
  return isSdkError(cause) && cause.cause instanceof ToolwharfError ? cause.cause : cause;
}

function createClient(spec: ServerSpec, kind: Way['kind'], options: SessionOptions): Client {
  const client = new Client(clientInfo, {
    capabilities: capabilitiesFor(options.questions),
    versionNegotiation: negotiationFor(spec, kind),
  });
  client.fallbackNotificationHandler = async (notification) =>
    options.onNotification(notification.method, (notification.params ?? {}) as JsonObject, []);
  return client;
}

const clientInfo = { name: 'toolwharf', version };

function negotiationFor(spec: ServerSpec, kind: Way['kind']) {
  if (spec.protocol === 'legacy' || kind === 'sse' || kind === 'api') return undefined;
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
