import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Era } from '../../contract/connections.ts';
import { ConnectionError, ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { HttpTarget, ServerSpec, StdioTarget } from '../../contract/settings/config.ts';
import { version } from '../kernel/version.ts';
import { type Channel, createChannel } from './channel.ts';
import { isSdkError, toDeliveryError, wasNotDelivered, wasNotReached } from './delivery-errors.ts';
import { tasksExtension } from './follow-task.ts';
import type { HttpAccess } from './http/http-access.ts';
import { createSseTransport } from './http/sse-transport.ts';
import { createStreamableHttpTransport, type StreamableHttpTransport } from './http/streamable-http-transport.ts';
import { rehearseLegacyHandshake } from './rehearse-handshake.ts';
import { capabilitiesOf } from './request-host.ts';
import { createSdkClient } from './sdk-client.ts';
import { createServerMessages } from './server-messages.ts';
import type { Session, SessionOptions } from './session.ts';
import { maxConnectMs, mayPull } from './stdio/package-runner.ts';
import type { StdioTransport } from './stdio/stdio-transport.ts';
import { limitStart } from './stdio/watch-start.ts';

/** The basis of a session: a running process, HTTP, or the transport of a plugin. */
export type SessionTarget =
  | { readonly kind: 'stdio'; readonly process: StdioTransport }
  | { readonly kind: 'http' | 'sse' | 'api'; readonly http: HttpAccess }
  | { readonly kind: 'plugin'; readonly transport: Transport };

/**
 * Performs the handshake of the given era, or finds the era, and returns the session. All code that needs the SDK is
 * imported by this module, which is loaded on first use.
 */
export async function handshake(
  spec: ServerSpec,
  target: SessionTarget,
  era: Era | undefined,
  options: SessionOptions,
): Promise<Session> {
  const { kind } = target;
  const { defaultHost, onNotification, log } = options;
  const process = target.kind === 'stdio' ? target.process : undefined;
  const http = 'http' in target ? target.http : undefined;
  let unreadable: string | undefined;
  const onUnreadable = (cause: ToolwharfError) => {
    unreadable = cause.message;
    channel.failUnreadable('{', cause.message);
  };
  const inner = await createTransport(spec, target, onUnreadable, options);
  const serverMessages = createServerMessages({
    server: spec.name,
    defaultHost,
    send: (message) => channel.send(message),
    log,
    cancelRequest: (turn, cause) => channel.cancelRequest(turn, cause),
    onNotification,
  });
  const channel: Channel = createChannel(inner, {
    onUnsolicited: http?.throttle.count,
    traffic: options.traffic?.openTap(options.redactor),
    // Servers of the modern era send no requests: the SDK drops them.
    onServerMessage: (message, owner) =>
      (channel.envelope === undefined || message.id === undefined) && serverMessages.receive(message, owner),
  });
  if (process) {
    process.onunreadable = channel.failUnreadable;
    process.onlarge = channel.admitLarge;
  }
  const client = createClient(spec, kind, era, options);
  let isOpen = false;

  channel.onerror = (cause) => {
    log.debug('connection.noise', `Server '${spec.name}': ${cause.message}`, { server: spec.name });
    // The SSE transport carries on without its event stream, but the server's session has ended with it. It goes on if a request was refused.
    const error = toDeliveryError(cause);
    const isRefused = wasNotReached(error) && !wasNotDelivered(error);
    if (kind === 'sse' && !isRefused) lose(unreadable ?? 'The event stream broke');
  };
  const streamable = kind === 'http' ? (inner as StreamableHttpTransport) : undefined;
  if (streamable) streamable.onstreamlost = () => lose('The event stream broke');
  client.onclose = () => {
    serverMessages.close();
    lose(process ? `The server's process ${process.ending ?? 'closed its output'}` : 'The connection was closed');
  };

  function lose(reason: string): void {
    if (!isOpen) return;
    isOpen = false;
    options.onLost(new ConnectionError('SERVER_DISCONNECTED', reason));
    close().catch(() => {});
  }
  async function close(): Promise<void> {
    isOpen = false;
    await streamable?.terminateSession();
    await client.close().catch(() => {});
    await inner.close().catch(() => {});
    await http?.close();
  }

  const cancel = () => void inner.close();
  options.signal.addEventListener('abort', cancel, { once: true });
  // The SDK takes a silent server for a legacy one. A silent server may only be slow: the time limit ends the attempt.
  let tooLate: string | undefined;
  const expire = (message = 'The server did not answer in time') => {
    tooLate = message;
    cancel();
  };
  const maxMs = maxConnectMs(spec);
  const timer = http || maxMs !== spec.timeoutMs ? undefined : setTimeout(expire, spec.timeoutMs);
  const pulls = process !== undefined && mayPull(spec.target as StdioTarget);
  const limits = { timeoutMs: spec.timeoutMs, maxMs, pulls };
  using _limit = process && !timer ? limitStart(process, limits, expire) : undefined;
  try {
    options.signal.throwIfAborted();
    const connecting = client.connect(channel, {
      timeout: maxMs,
      signal: options.signal,
      ...(spec.protocol === 'auto' && era === 'legacy' && { prior: { kind: 'legacy' as const } }),
    });
    // Most programs do not know the modern era yet, so they get a second handshake.
    if (process && spec.protocol === 'auto' && era === undefined) setImmediate(prepareSecondHandshake);
    await connecting;
  } catch (cause) {
    await inner.close().catch(() => {});
    if (options.signal.aborted) throw options.signal.reason;
    if (tooLate !== undefined) throw new DOMException(tooLate, 'TimeoutError');
    throw process ? describeExit(process, cause) : unwrap(cause);
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', cancel);
  }

  const protocolVersion = client.getNegotiatedProtocolVersion() ?? '';
  const negotiated: Era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy';
  const capabilities = (client.getServerCapabilities() ?? {}) as JsonObject;
  if (negotiated === 'modern') {
    channel.envelope = envelopeFor(protocolVersion, options);
    channel.hasTasks = isObject(capabilities.extensions) && capabilities.extensions[tasksExtension] !== undefined;
  }
  isOpen = true;
  return {
    channel,
    client,
    transport: kind,
    era: negotiated,
    protocolVersion,
    capabilities,
    serverInfo: client.getServerVersion() as JsonObject | undefined,
    instructions: client.getInstructions(),
    pid: process?.pid ?? undefined,
    lifetime: new AbortController(),
    close,
  };
}

/** It is only faster with it, so a failure has no effect. */
function prepareSecondHandshake(): void {
  rehearseLegacyHandshake().catch(() => {});
}

async function createTransport(
  spec: ServerSpec,
  target: SessionTarget,
  onUnreadable: (cause: ToolwharfError) => void,
  { log }: SessionOptions,
): Promise<Transport> {
  if (target.kind === 'stdio') return target.process;
  if (target.kind === 'plugin') return target.transport;
  const { http: access } = target;
  const configured = spec.target as HttpTarget;
  if (target.kind === 'http') return createStreamableHttpTransport(new URL(configured.url), access);
  if (target.kind === 'sse') return createSseTransport(new URL(configured.url), access, { onUnreadable });
  const { createApiTransport } = await import('./api/api-transport.ts');
  return createApiTransport({ server: spec.name, target: configured, access, log });
}

/** The exit of the process explains more than a closed pipe, but less than an error that the server sent before it. */
function describeExit({ ending }: StdioTransport, cause: unknown): unknown {
  const hasReason = isSdkError(cause, 'ERA_NEGOTIATION_FAILED') && cause.cause instanceof Error;
  if (ending === undefined || hasReason) return cause;
  return new ConnectionError('SERVER_DISCONNECTED', `The server's process ${ending}`, {
    cause,
    data: { reached: false },
  });
}

/** Our own error inside an error of the SDK, such as a sign-in that failed. */
function unwrap(cause: unknown): unknown {
  return isSdkError(cause) && cause.cause instanceof ToolwharfError ? cause.cause : cause;
}

function createClient(
  spec: ServerSpec,
  kind: SessionTarget['kind'],
  era: Era | undefined,
  options: SessionOptions,
): Client {
  const client = createSdkClient(clientInfo, {
    capabilities: capabilitiesOf(options.defaultHost),
    versionNegotiation: negotiationFor(spec, kind, era),
  });
  client.fallbackNotificationHandler = async (notification) =>
    options.onNotification(notification.method, (notification.params ?? {}) as JsonObject);
  return client;
}

const clientInfo = { name: 'toolwharf', version };

function negotiationFor(spec: ServerSpec, kind: SessionTarget['kind'], era: Era | undefined) {
  const { protocol } = spec;
  if (protocol === 'legacy' || kind === 'sse' || kind === 'api') return undefined;
  const isModern = protocol === 'modern' || (kind !== 'http' && era === 'modern');
  // The time limit of the handshake ends a silent server before that of the probe.
  const probe = kind === 'http' ? undefined : { timeoutMs: maxConnectMs(spec) * 2 };
  return { mode: isModern ? { pin: '2026-07-28' } : 'auto', probe } as const;
}

function envelopeFor(protocolVersion: string, { defaultHost, logLevel }: SessionOptions): JsonObject {
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: capabilitiesOf(defaultHost),
    [LOG_LEVEL_META_KEY]: logLevel,
  };
}
