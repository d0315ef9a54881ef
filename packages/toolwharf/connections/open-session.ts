import { setTimeout as wait } from 'node:timers/promises';
import type { Era } from '../../contract/connections.ts';
import { ConnectionError, messageOf, ToolwharfError } from '../../contract/errors.ts';
import type { ServerSpec, StdioTarget } from '../../contract/settings/config.ts';
import type { ConnectedTransport } from '../../contract/settings/transports.ts';
import { isSdkError, toDeliveryError } from './delivery-errors.ts';
import type { HttpAccess } from './http/http-access.ts';
import { toProtocolKey } from './protocol-cache.ts';
import type { Session, SessionOptions } from './session.ts';
import type { StderrTail } from './stderr-tail.ts';
import { installAlone } from './stdio/install-lock.ts';
import { findPackage, maxConnectMs } from './stdio/package-runner.ts';
import { cpuTicksOf } from './stdio/process-tree.ts';
import { createServerProcess } from './stdio/server-process.ts';
import type { StdioTransport } from './stdio/stdio-transport.ts';
import { isUpAndSilent } from './stdio/watch-start.ts';

/** Opens a session: finds the transport and the protocol era, and caches both for the next time. */
export async function openSession(spec: ServerSpec, options: SessionOptions): Promise<Session> {
  const key = toProtocolKey(spec);
  const cached = options.protocolCache.get(key);
  try {
    const session = await openByTarget(spec, cached?.transport, cached?.era, options);
    options.protocolCache.set(key, { era: session.era, transport: session.transport });
    return session;
  } catch (cause) {
    // The cached protocol may be the cause: the next attempt negotiates again.
    options.protocolCache.delete(key);
    throw toConnectError(spec, cause);
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
  if (target.transport === 'plugin') return openPlugin(spec, era, options);
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
  const isEraKnown = spec.protocol !== 'auto' || era !== undefined;
  const installs = findPackage(spec.target as StdioTarget);
  if (installs === undefined) return isEraKnown ? openProcess(spec, era, options) : openInUnknownEra(spec, options);
  const { env, signal } = options;
  return installAlone(installs, { env, signal, maxWaitMs: maxConnectMs(spec) }, () =>
    isEraKnown ? openProcess(spec, era, options) : openRunnerInUnknownEra(spec, options),
  );
}

/** Like `openInUnknownEra`, but with one process at a time: two runners at once disturb each other. */
async function openRunnerInUnknownEra(spec: ServerSpec, options: SessionOptions): Promise<Session> {
  const probed = startAttempt(spec, undefined, options);
  using probing = createProbing(options.signal);
  const isSettled = await settlesWithin(probed.session, () => isUpAndSilent(probed.process, probing.signal));
  if (!isSettled) probed.cancel();
  return probed.session.catch((cause) => {
    const ignoresProbe = !isSettled || probed.process.ending !== undefined;
    if (!ignoresProbe || options.signal.aborted) throw cause;
    return openProcess(spec, 'legacy', options);
  });
}

function createProbing(signal: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const end = new AbortController();
  return { signal: AbortSignal.any([signal, end.signal]), [Symbol.dispose]: () => end.abort() };
}

interface Attempt {
  readonly session: Promise<Session>;
  readonly process: StdioTransport;
  /** Ends the process, unless its session is open. */
  cancel(): void;
  /** Ends the process. */
  abandon(): void;
}

/**
 * Finds the era of a stdio server. The first process gets the probe of the modern era, and no other message until it
 * answers. A server that stays silent is starting, or ignores what it does not know: a second process then gets the
 * handshake of the legacy era. The process that answers is used, and the other one is ended.
 */
async function openInUnknownEra(spec: ServerSpec, options: SessionOptions): Promise<Session> {
  const probed = startAttempt(spec, undefined, options);
  const isSettled = await settlesWithin(probed.session, () => isSilent(spec, probed.process));
  if (isSettled) {
    return probed.session.catch((cause) => {
      // Some legacy servers exit on any request before `initialize`: start a fresh one that gets `initialize` first.
      if (probed.process.ending === undefined || options.signal.aborted) throw cause;
      return openProcess(spec, 'legacy', options);
    });
  }
  const legacy = startAttempt(spec, 'legacy', options);
  // A legacy server may refuse the probe, and a modern one the handshake: then the other process decides.
  const legacyWins = legacy.session.then(async (session) => {
    await settlesWithin(
      probed.session.catch(() => {}),
      () => wait(answerGraceMs, undefined, { ref: false }),
    );
    return session;
  });
  try {
    const session = await Promise.any([probed.session, legacyWins]);
    const [other] = [probed, legacy].filter((attempt) => attempt.process.pid !== session.pid);
    other?.abandon();
    return session;
  } catch {
    return await probed.session;
  }
}

function startAttempt(spec: ServerSpec, era: Era | undefined, options: SessionOptions): Attempt {
  const cancel = new AbortController();
  const signal = AbortSignal.any([options.signal, cancel.signal]);
  const process = createServerProcess(spec, options);
  const session = openProcess(spec, era, { ...options, signal }, process);
  session.catch(() => {});
  return {
    session,
    process,
    cancel: () => cancel.abort(new Error('The server ignores the modern era')),
    abandon() {
      cancel.abort(new Error('Another process of the server answered first'));
      void session.then((unused) => unused.close()).catch(() => {});
    },
  };
}

// A server that is up answers within this time after its last activity.
const silenceMs = 400;
const activityMs = 150;
// These download for a long time without activity.
const slowPrograms = /(^|[\\/])(npm|pnpm|yarn|uv|docker|podman)(\.(exe|cmd))?$/i;
const slowSilenceMs = 5_000;
const maxStartMs = 10_000;
const answerGraceMs = 100;

/** Resolves when the process has been up for a while: it neither answers nor works. */
async function isSilent({ target }: ServerSpec, process: StdioTransport): Promise<void> {
  const isSlow = slowPrograms.test((target as StdioTarget).command);
  await wait(isSlow ? slowSilenceMs : silenceMs, undefined, { ref: false });
  for (let waited = 0; waited < maxStartMs; waited += activityMs) {
    const before = await cpuTicksOf(process.pid);
    await wait(activityMs, undefined, { ref: false });
    if ((await cpuTicksOf(process.pid)) <= before) return;
  }
}

/** True when the work settles first. */
function settlesWithin(work: Promise<unknown>, timeout: () => Promise<unknown>): Promise<boolean> {
  return Promise.race([
    work.then(
      () => true,
      () => true,
    ),
    timeout().then(() => false),
  ]);
}

async function openProcess(
  spec: ServerSpec,
  era: Era | undefined,
  options: SessionOptions,
  process = createServerProcess(spec, options),
): Promise<Session> {
  try {
    // The server starts while the SDK is loaded.
    await process.launch();
    const { handshake } = await import('./handshake.ts');
    return await handshake(spec, { kind: 'stdio', process }, era, options);
  } catch (cause) {
    throw options.signal.aborted ? cause : toConnectError(spec, cause, process);
  }
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

async function openPlugin(spec: ServerSpec, era: Era | undefined, options: SessionOptions): Promise<Session> {
  const { openPluginTransport } = await import('./plugin-transport.ts');
  const transport = await openPluginTransport(spec, options);
  const { handshake } = await import('./handshake.ts');
  return handshake(spec, { kind: 'plugin', transport }, era, options);
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
function toConnectError(
  spec: ServerSpec,
  cause: unknown,
  process?: Pick<StdioTransport, 'stderr' | 'ending'>,
): ToolwharfError {
  if (cause instanceof ToolwharfError && cause.code !== 'SERVER_DISCONNECTED') return cause;
  // The SDK's text only introduces the actual cause.
  if (isSdkError(cause, 'ERA_NEGOTIATION_FAILED') && cause.cause instanceof Error) {
    return toConnectError(spec, cause.cause, process);
  }
  const { message, data } = toDeliveryError(cause);
  const { stderr, ending } = process ?? {};
  const hint = !('url' in spec.target) && spec.protocol === 'auto' ? eraHint : '';
  // The SDK reports a connection that was closed during its probe; the exit of the program explains more.
  const reason = ending !== undefined && isSdkError(cause) ? `The server's process ${ending}` : message;
  const text = isTimeout(cause) ? `${timeoutText(spec, cause)}${hint}` : reason;
  const output = stderr ? lastOutput(stderr) : credentialsHint(spec, data);
  return new ConnectionError('SERVER_UNREACHABLE', `${text}${output}`, { cause, data: { ...data, reached: false } });
}

function credentialsHint({ target }: ServerSpec, { httpStatus }: ToolwharfError['data']): string {
  if (httpStatus !== 401 || !('authentication' in target) || target.authentication.type !== 'none') return '';
  return '. Set authentication: { type: oauth } to sign in, or another type of authentication to send credentials';
}

/** An installation has its own limit. */
function timeoutText(spec: ServerSpec, cause: unknown): string {
  const mayInstall = maxConnectMs(spec) !== spec.timeoutMs && !isSdkError(cause);
  return mayInstall ? messageOf(cause) : `No answer within ${spec.timeoutMs} ms`;
}

const eraHint =
  '. If it needs longer to start, raise its timeout; if it speaks one era only, set protocol: legacy or modern';

function isTimeout(cause: unknown): boolean {
  if (isSdkError(cause)) return isSdkError(cause, 'REQUEST_TIMEOUT');
  return cause instanceof DOMException && cause.name === 'TimeoutError';
}

function lastOutput(stderr: StderrTail): string {
  const lines = stderr.lines().filter((line) => line.trim() !== '');
  const output = lines.slice(-3).join(' | ').slice(-300);
  return output ? `. Last output: ${output}` : '';
}
