import type { ConnectedTransport, ServerSpec } from '../config/config.ts';
import { ConnectionError, ToolwharfError } from '../kernel/errors.ts';
import { toDeliveryError } from './delivery.ts';
import type { HttpAccess } from './http/http-access.ts';
import { toServerAddress } from './protocol-cache.ts';
import { isSdkError } from './sdk-errors.ts';
import type { Session, SessionOptions } from './session.ts';
import type { Era } from './status.ts';
import type { StderrTail } from './stderr-tail.ts';
import { createServerProcess } from './stdio/server-process.ts';

/** Opens a session: finds the transport and the protocol era, and caches both for the next time. */
export async function openSession(spec: ServerSpec, options: SessionOptions): Promise<Session> {
  const address = toServerAddress(spec);
  const cached = options.protocolCache.get(address);
  try {
    const session = await openByTarget(spec, cached?.transport, cached?.era, options);
    options.protocolCache.set(address, { era: session.era, transport: session.transport });
    return session;
  } catch (cause) {
    // The cached protocol may be the cause: the next attempt negotiates again.
    options.protocolCache.delete(address);
    throw toConnectError(spec, cause, options.stderr);
  }
}

async function openByTarget(
  spec: ServerSpec,
  transport: ConnectedTransport | undefined,
  era: Era | undefined,
  options: SessionOptions,
): Promise<Session> {
  const { target } = spec;
  if (target.transport === 'stdio') return openStdio(spec, era, options);
  const known = transport === 'http' || transport === 'sse' ? transport : 'auto';
  const choice = target.transport === 'auto' ? known : target.transport;
  if (choice !== 'auto') return openHttp(choice, spec, era, options);
  try {
    return await openHttp('http', spec, era, options);
  } catch (cause) {
    if (!suggestsSseTransport(cause) || options.signal.aborted) throw cause;
    return openHttp('sse', spec, 'legacy', options).catch(() => {
      throw cause;
    });
  }
}

async function openStdio(spec: ServerSpec, era: Era | undefined, options: SessionOptions): Promise<Session> {
  try {
    return await openProcess(spec, era, options);
  } catch (cause) {
    // Some legacy servers exit on any request before `initialize`: start a fresh one that gets `initialize` first.
    const exitedOnProbe = isSdkError(cause, 'ERA_NEGOTIATION_FAILED');
    if (spec.protocol !== 'auto' || era === 'legacy' || !exitedOnProbe || options.signal.aborted) throw cause;
    return openProcess(spec, 'legacy', options);
  }
}

async function openProcess(spec: ServerSpec, era: Era | undefined, options: SessionOptions): Promise<Session> {
  const process = createServerProcess(spec, options);
  // The server starts while the SDK is loaded.
  await process.launch();
  const { handshake } = await import('./handshake.ts');
  return handshake(spec, { kind: 'stdio', process }, era, options);
}

async function openHttp(
  kind: 'http' | 'sse' | 'api',
  spec: ServerSpec,
  era: Era | undefined,
  options: SessionOptions,
): Promise<Session> {
  const http = (await options.openHttp?.()) as HttpAccess;
  const { handshake } = await import('./handshake.ts');
  const attempt = () => handshake(spec, { kind, http }, era, options);
  try {
    return await attempt().catch(async (cause) => {
      if (!http.authorize || !requiresSignIn(cause)) throw cause;
      await http.authorize(options.signal);
      return attempt();
    });
  } catch (cause) {
    await http.close();
    throw cause;
  }
}

function suggestsSseTransport(cause: unknown): boolean {
  const data = (cause as { data?: { status?: unknown; httpStatus?: unknown } } | undefined)?.data;
  return [400, 404, 405].includes((data?.status ?? data?.httpStatus) as number);
}

function requiresSignIn(cause: unknown): boolean {
  return (
    (cause instanceof Error && cause.name === 'UnauthorizedError') ||
    (cause instanceof ToolwharfError && cause.code === 'OAUTH_REQUIRED')
  );
}

/** Explains why no session could be opened, for a child process with its last error output. */
function toConnectError(spec: ServerSpec, cause: unknown, stderr: StderrTail): ToolwharfError {
  if (cause instanceof ToolwharfError && cause.code !== 'SERVER_DISCONNECTED') return cause;
  // The SDK's text only introduces the actual cause.
  if (isSdkError(cause, 'ERA_NEGOTIATION_FAILED') && cause.cause instanceof Error) {
    return toConnectError(spec, cause.cause, stderr);
  }
  const { message, data } = toDeliveryError(cause);
  const text = isTimeout(cause) ? `No answer within ${spec.timeoutMs} ms` : message;
  const output = spec.target.transport === 'stdio' ? lastOutput(stderr) : '';
  return new ConnectionError('SERVER_UNREACHABLE', `${text}${output}`, { cause, data: { ...data, reached: false } });
}

function isTimeout(cause: unknown): boolean {
  if (isSdkError(cause)) return isSdkError(cause, 'REQUEST_TIMEOUT');
  return cause instanceof DOMException && cause.name === 'TimeoutError';
}

function lastOutput(stderr: StderrTail): string {
  // A crash that repeats is shown once.
  const lines = [...new Set(stderr.lines().filter((line) => line.trim() !== ''))];
  const output = lines.slice(-3).join(' | ').slice(-300);
  return output ? `. Last output: ${output}` : '';
}
