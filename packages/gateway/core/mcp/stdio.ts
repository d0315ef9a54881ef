import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import { createLineReader } from '../../../toolwharf/connections/stdio/line-reader.ts';
import { toClientProgram } from '../../../toolwharf/kernel/client-program.ts';
import { createEphemeralMap } from '../../../toolwharf/kernel/ephemeral-map.ts';
import { parseJson, toLine } from '../../../toolwharf/kernel/exact-json.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import { type LegacyClient, serveRequest, tasksOf } from './legacy.ts';
import type { McpParts } from './mcp-parts.ts';
import type { MessageStream } from './message-stream.ts';
import { instructionsOf, serverCapabilities, serverInfo } from './methods.ts';
import { isModern, serveModern } from './modern.ts';
import { createPorts } from './ports.ts';
import type { Responder } from './responder.ts';
import {
  assertBatch,
  legacyVersions,
  listenMethod,
  RpcError,
  type RpcId,
  type RpcMessage,
  type RpcRequest,
  rpcCode,
  toError,
  toMessage,
  toResult,
} from './rpc.ts';
import type { Session } from './sessions.ts';
import { untilDisconnected } from './stdio-client.ts';

export interface StdioOptions {
  readonly toolbox: InternalToolbox;
  readonly log: Log;
  readonly caller: Caller;
  /** Evaluated for each message, because a configuration change may change the profile. */
  readonly profile: () => ProfileConfig;
  readonly input: Readable;
  readonly output: Writable;
  readonly startWaitMs?: number;
  /** What features add; nothing by default. */
  readonly parts?: McpParts;
  /** Closes the endpoint, like the end of the input. */
  readonly signal?: AbortSignal;
}

const maxMessageBytes = 64 * 1024 * 1024;

/** Serves MCP to one client over a pair of pipes, in both eras. Resolves when the client has disconnected. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { toolbox, log, caller, input, output } = options;
  // A random key suffices, because a stdio client gets no session id.
  const ports = createPorts({
    toolbox,
    log,
    sessionKey: randomBytes(32),
    startWaitMs: options.startWaitMs,
    parts: options.parts,
  });
  const { sessions } = ports;
  const gone = new AbortController();
  /** The running requests. A cancelled request gets no response. */
  const running = createEphemeralMap<RpcId, AbortController>();
  let session: Session | undefined;
  let unanswered = 0;

  const write = (message: JsonObject) => {
    if (!gone.signal.aborted) output.write(`${toLine(ports.serialized.stringify(message))}\n`);
  };
  const stream: MessageStream = {
    send: write,
    end: () => {},
    get closed() {
      return gone.signal.aborted;
    },
  };

  async function serve({ id, method, params }: RpcRequest): Promise<void> {
    const cancel = new AbortController();
    const signal = AbortSignal.any([gone.signal, cancel.signal]);
    const responder: Responder = {
      signal,
      stream: () => stream,
      send: (message) => void (signal.aborted || write(message)),
      finish: (message) => void (signal.aborted || write(message)),
    };
    const client = { caller, profile: options.profile() };
    running.set(id, cancel);
    const lasts = method === listenMethod;
    if (!lasts) unanswered++;
    try {
      const request = { id, method, params };
      if (isModern(params)) await serveModern(request, client, responder, ports);
      else if (method === 'initialize') responder.finish(toResult(id, await initialize(request, client)));
      else if (session) await serveRequest(request, session, client, responder, ports);
      else if (method === 'ping') responder.finish(toResult(id, {}));
      else throw new RpcError(rpcCode.invalidRequest, 'Not initialized: send initialize first');
    } catch (cause) {
      if (!(cause instanceof RpcError)) log.error('mcp.failed', `A request failed: ${messageOf(cause)}`);
      responder.finish(toError(id, cause instanceof RpcError ? cause : internal()));
    } finally {
      if (!lasts) unanswered--;
      if (running.get(id) === cancel) running.delete(id);
    }
  }

  const logNotEnded = (cause: unknown) =>
    log.warning('mcp.session-not-ended', `A session could not be ended: ${messageOf(cause)}`);

  async function initialize({ params }: RpcRequest, client: LegacyClient): Promise<JsonObject> {
    const { protocolVersion, capabilities, clientInfo } = params;
    const { facts } = ports.tokens.seal({
      caller: caller.id,
      profile: client.profile.name,
      protocolVersion: legacyVersions.find((version) => version === protocolVersion) ?? legacyVersions[0],
      capabilities: isObject(capabilities) ? capabilities : {},
      client: toClientProgram(clientInfo),
    });
    if (session) sessions.end(session.facts).catch(logNotEnded);
    session = sessions.open(facts);
    const view = await ports.viewFor(client);
    const instructions = instructionsOf(view);
    return {
      protocolVersion: facts.protocolVersion,
      capabilities: serverCapabilities(view, ports.tasks.isOn ? tasksOf(facts) : undefined),
      serverInfo,
      instructions,
    };
  }

  function take(message: RpcMessage): void {
    if (message.kind === 'request') void serve(message.request);
    else if (message.kind === 'response') session?.answer(message.id, message);
    else if (message.method === 'notifications/initialized') session?.streams.add(stream);
    else if (message.method === 'notifications/cancelled') {
      running.get(message.params.requestId as RpcId)?.abort(new Error('The client cancelled'));
    }
  }

  function read(line: string): void {
    try {
      const value = parse(line);
      if (Array.isArray(value)) assertBatch(value, session?.facts.protocolVersion);
      for (const message of Array.isArray(value) ? value : [value]) take(toMessage(message));
    } catch (cause) {
      write(toError(null, cause instanceof RpcError ? cause : internal()));
    }
  }

  const lines = createLineReader({
    maxBytes: maxMessageBytes,
    onLine: read,
    onOversize: ({ bytes }) =>
      write(toError(null, new RpcError(rpcCode.invalidRequest, `A message of ${bytes} bytes is too large`))),
  });
  input.on('data', (chunk: Buffer) => lines.push(chunk));
  await untilDisconnected({ input, output, signal: options.signal, isAnswered: () => unanswered === 0 });
  gone.abort(new Error('The client went away'));
  ports.close();
  if (session) sessions.end(session.facts).catch(logNotEnded);
}

function parse(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    throw new RpcError(rpcCode.parse, 'The line is not JSON');
  }
}

function internal(): RpcError {
  return new RpcError(rpcCode.internal, 'Internal error');
}
