import type { ServerSpec } from '../config/config.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import type { HttpAccess } from './http/http-access.ts';
import { toServerAddress } from './protocol-cache.ts';
import { isSdkError } from './sdk-errors.ts';
import type { Session, SessionOptions } from './session.ts';
import type { Era } from './status.ts';
import { createServerProcess } from './stdio/server-process.ts';
import { toConnectError } from './to-connect-error.ts';

type TransportKind = Session['transport'];

/** Opens a session: finds the transport and the protocol era, and remembers both for the next time. */
export async function openSession(spec: ServerSpec, options: SessionOptions): Promise<Session> {
  const address = toServerAddress(spec);
  const remembered = options.protocolCache.get(address);
  try {
    const session = await openFirst(spec, remembered?.transport, remembered?.era, options);
    options.protocolCache.set(address, { era: session.era, transport: session.transport });
    return session;
  } catch (cause) {
    // What we remember may be what is wrong: the next try asks again.
    options.protocolCache.delete(address);
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
  const known = transport === 'http' || transport === 'sse' ? transport : 'auto';
  const choice = target.transport === 'auto' ? known : target.transport;
  if (choice !== 'auto') return openHttp(choice, spec, era, options);
  try {
    return await openHttp('http', spec, era, options);
  } catch (cause) {
    if (!meansOldTransport(cause) || options.signal.aborted) throw cause;
    return openHttp('sse', spec, 'legacy', options).catch(() => {
      throw cause;
    });
  }
}

async function openStdio(spec: ServerSpec, era: Era | undefined, options: SessionOptions): Promise<Session> {
  try {
    return await openProcess(spec, era, options);
  } catch (cause) {
    // Some servers of the legacy era end when they are asked anything before `initialize`: ask a fresh one just that.
    const diedAsked = isSdkError(cause, 'ERA_NEGOTIATION_FAILED');
    if (spec.protocol !== 'auto' || era === 'legacy' || !diedAsked || options.signal.aborted) throw cause;
    return openProcess(spec, 'legacy', options);
  }
}

async function openProcess(spec: ServerSpec, era: Era | undefined, options: SessionOptions): Promise<Session> {
  const process = createServerProcess(spec, options);
  // The server gets ready while we load what it takes to talk to it.
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
      if (!http.authorize || !isSignInWanted(cause)) throw cause;
      await http.authorize(options.signal);
      return attempt();
    });
  } catch (cause) {
    await http.close();
    throw cause;
  }
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
