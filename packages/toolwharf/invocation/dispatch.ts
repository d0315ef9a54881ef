import { ConnectionError, messageOf, ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { serverDefaults } from '../../contract/settings/defaults.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { runLocalTool } from '../catalog/local-tool.ts';
import type { AccountUse } from '../connections/accounts/account-store.ts';
import type { CallableTool, Connection, ToolCall } from '../connections/connection.ts';
import { wasNotReached } from '../connections/delivery-errors.ts';
import type { UnansweredRequest } from '../connections/exchange.ts';
import type { UpstreamTask } from '../connections/follow-task.ts';
import { toServerAddress } from '../connections/protocol-cache.ts';
import type { ReplyMeter, RequestHost, RequestNotice } from '../connections/request-host.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import { toProgramValue } from '../kernel/decimal.ts';
import type { Log } from '../kernel/log.ts';
import { withoutOwnMembers } from '../kernel/own-meta.ts';
import type { Progress, ToolResult } from '../kernel/tool.ts';
import { toolIdOf } from '../kernel/tool-id.ts';
import { abortable } from '../kernel/wait.ts';
import type { RedactCalls } from '../policy/redaction.ts';
import type { Authorization } from './authorize.ts';
import type { CallHost, RunningCall } from './call.ts';
import { wasInterrupted } from './call-ending.ts';
import type { CallRecord } from './call-record.ts';
import { createDeadline } from './deadline.ts';
import type { ReadTarget } from './read-target.ts';
import { redactAnswers, redactMessage, redactQuestion } from './redact-call.ts';

export interface DispatchPorts {
  readonly catalog: Pick<Catalog, 'find'>;
  readonly findConnection: (server: string) => Connection | undefined;
  /** Chooses the account of a call. Undefined if all callers use the same credentials. */
  readonly chooseAccount?: ChooseAccount;
  /** Used for questions that the call's own host does not support. */
  readonly defaultHost: CallHost;
  readonly log: Log;
  /** The redaction by plugins; undefined if none redacts. */
  readonly redact?: () => RedactCalls | undefined;
  readonly onLog: (call: RunningCall, server: string, params: JsonObject) => void;
  /** Receives the record of a call whose task at its server has another status. */
  readonly onCall?: (record: CallRecord) => void;
}

/** An account, with its owner's name for it. */
export interface ChosenAccount extends AccountUse {
  readonly label: string;
}

/**
 * Chooses an account of the caller, by its label or the default one. A caller without an account is asked to connect one,
 * if the host can show a URL. Rejects with ACCOUNT_REQUIRED. Returns undefined if the server's credentials are shared.
 */
export type ChooseAccount = (
  server: string,
  call: Pick<RunningCall, 'id' | 'caller' | 'host' | 'signal'> & Partial<Pick<RunningCall, 'answer'>>,
  label?: unknown,
) => Promise<ChosenAccount> | undefined;

/** The member of `_meta` in which a client names the account to use. */
export const accountMember = 'toolwharf/account';

/** Chooses the account of a call and notes it in the record. Returns undefined at once if there is nothing to choose. */
export function assignAccount(
  call: RunningCall,
  server: string | undefined,
  meta: JsonObject | undefined,
  { chooseAccount }: Pick<DispatchPorts, 'chooseAccount'>,
): Promise<void> | undefined {
  if (server === undefined || call.account) return undefined;
  return chooseAccount?.(server, call, meta?.[accountMember])?.then(({ id, owner, label }) => {
    call.account = { id, owner };
    call.record = { ...call.record, account: { id, label } };
  });
}

/** What a tool that calls other tools can do. */
export interface ToolSteps {
  /** Calls another tool as a step of this call. */
  readonly callStep: (name: string, args: unknown) => Promise<ToolResult>;
  /** Runs the tool if it is a script. */
  readonly runScript: (args: JsonObject) => Promise<JsonObject>;
}

/**
 * Runs the tool, or reads, within its timeout: a request to its server with this `_meta`, or a local function or script, which
 * needs `steps`. Rejects if there is no result.
 */
export async function dispatch(
  call: RunningCall,
  { entry, args: { values: args } }: Authorization,
  meta: JsonObject | undefined,
  steps: ToolSteps | undefined,
  ports: DispatchPorts,
): Promise<JsonObject> {
  const { timeoutMs } = entry.limits;
  const spec = entry.server === undefined ? undefined : ports.findConnection(entry.server)?.spec;
  const { maxTimeoutMs } = spec ?? serverDefaults;
  const onExpired = () => call.abort(new DOMException('The time limit of the call has passed', 'TimeoutError'));
  const deadline = createDeadline(timeoutMs, onExpired, maxTimeoutMs);
  call.deadline = deadline;
  try {
    const redact = call.input && ports.redact?.();
    if (redact) call.input = await redactAnswers(call, entry, call.input, redact);
    if (entry.script && steps) {
      call.mayHaveRun = true;
      return await steps.runScript(args);
    }
    if (entry.local) return await runUntilAborted(call, runLocal(call, entry, args, steps, ports));
    return await (call.read ? load(call, call.read, entry, args, meta, ports) : send(call, entry, args, meta, ports));
  } catch (cause) {
    if (!deadline.isExpired || (cause instanceof ToolwharfError && cause.code === 'SERVER_UNAVAILABLE')) throw cause;
    const message = `${call.calledAs} did not finish within ${deadline.limitMs} ms`;
    throw new ToolwharfError('CALL_TIMED_OUT', message, { cause, data: { phase: 'running' } });
  } finally {
    call.ranMs = deadline.ranMs;
    deadline[Symbol.dispose]();
    call.deadline = undefined;
  }
}

/** A local function that ignores its signal must not block the call, but keeps its permit like a server that has not answered. */
function runUntilAborted(call: RunningCall, work: Promise<JsonObject>): Promise<JsonObject> {
  const end = work.then(
    () => {},
    () => {},
  );
  return abortable(work, call.aborting).finally(() => {
    if (call.aborting.aborted) call.unanswered = { end };
  });
}

/** Reads a resource or prompt. A skill of a folder needs no server. */
function load(
  call: RunningCall,
  read: ReadTarget,
  entry: CatalogEntry,
  args: JsonObject,
  meta: JsonObject | undefined,
  ports: DispatchPorts,
): Promise<JsonObject> {
  if (entry.server !== undefined) return read.load(() => sendRead(call, read, entry, args, meta, ports));
  call.mayHaveRun = true;
  return abortable(
    read.load(() => Promise.reject(notConnected(entry))),
    call.aborting,
  );
}

async function sendRead(
  call: RunningCall,
  { method }: ReadTarget,
  entry: CatalogEntry,
  args: JsonObject,
  meta: JsonObject | undefined,
  ports: DispatchPorts,
): Promise<JsonObject> {
  const connection = connectionOf(entry, ports);
  const request = new DispatchedCall(call, entry, meta, ports);
  const { id: callId, signal, host, account } = request;
  const params = request.extraParams ? { ...request.extraParams, ...args } : args;
  try {
    const answer = await connection.request(method, request.meta ? { ...params, _meta: request.meta } : params, {
      ...{ callId, signal, host, account, observer: request },
      onWait: () => request.onWait(),
      onReached: () => request.onReached(),
      onForward: (replica) => request.onForward(replica),
    });
    return connection.redact(answer);
  } catch (cause) {
    if (request.isForwarded && !wasNotReached(cause)) call.mayHaveRun = true;
    throw cause;
  }
}

/** The connection to the server that the call was authorized for. */
function connectionOf(entry: CatalogEntry, ports: DispatchPorts): Connection {
  const connection = entry.server === undefined ? undefined : ports.findConnection(entry.server);
  if (!connection) throw notConnected(entry);
  // The server was replaced after the call was authorized, and its tools are not listed yet.
  if (toServerAddress(connection.spec) !== entry.serverAddress)
    throw new ConnectionError('SERVER_DISCONNECTED', `MCP server ${entry.server} was changed a moment ago: try again`);
  return connection;
}

function notConnected({ server }: CatalogEntry): ConnectionError {
  return new ConnectionError('SERVER_DISCONNECTED', `Not connected to MCP server: ${server}`);
}

function send(
  call: RunningCall,
  entry: CatalogEntry,
  args: JsonObject,
  meta: JsonObject | undefined,
  ports: DispatchPorts,
): Promise<JsonObject> {
  const connection = connectionOf(entry, ports);
  const request = new DispatchedCall(call, entry, meta, ports);
  const sending = connection.callTool(callableOf(entry), args, request);
  return sending.catch((cause) => {
    if (request.isForwarded && !wasNotReached(cause)) call.mayHaveRun = true;
    if (!isRepeatable(entry) || !wasInterrupted(cause) || call.aborting.aborted) throw cause;
    const { name: tool } = entry;
    ports.log.info('call.repeated', `${tool} is sent again: its connection broke and it is safe to repeat`, { tool });
    return connection.callTool(callableOf(entry), args, request);
  });
}

const callables = new WeakMap<CatalogEntry, CallableTool>();

/** The tool as its connection knows it. */
function callableOf(entry: CatalogEntry): CallableTool {
  const known = callables.get(entry);
  if (known) return known;
  const { execution } = entry.definition;
  const taskSupport = isObject(execution) ? execution.taskSupport : undefined;
  const tool = { name: entry.originalName, paramHeaders: entry.paramHeaders, taskSupport };
  callables.set(entry, tool);
  return tool;
}

/** A class, like the host below, because every call has one: methods on a prototype cost nothing per call. */
class DispatchedCall implements ToolCall {
  readonly host: RequestHost;
  readonly meta: JsonObject | undefined;
  /** Another replica sends the call to the server. */
  isForwarded = false;
  readonly #call: RunningCall;
  readonly #entry: CatalogEntry;
  readonly #ports: DispatchPorts;

  constructor(call: RunningCall, entry: CatalogEntry, meta: JsonObject | undefined, ports: DispatchPorts) {
    this.#call = call;
    this.#entry = entry;
    this.#ports = ports;
    this.host = new HostOfCall(call, entry, ports);
    this.meta = withoutOwnMembers(meta);
  }

  get id(): string {
    return this.#call.id;
  }

  get signal(): AbortSource {
    return this.#call.aborting;
  }

  get extraParams(): JsonObject | undefined {
    return this.#call.record.extraParams;
  }

  get account(): AccountUse | undefined {
    return this.#call.account;
  }

  get prefersTask(): boolean | undefined {
    return this.#call.host.prefersTask;
  }

  /** A call is authorized for one definition: another one must be accepted first. */
  currentTool(): CallableTool {
    const { calledAs } = this.#call;
    const latest = this.#ports.catalog.find(toolIdOf(this.#entry));
    if (!latest) throw new ToolwharfError('TOOL_NAME_INVALID', `${calledAs} is no longer available`);
    if (latest.changed && latest.definitionHash !== this.#entry.definitionHash)
      throw new ToolwharfError('TOOL_CHANGED', `${calledAs} changed while its server was not connected`);
    return callableOf(latest);
  }

  onWait(): () => void {
    return this.#call.pauseClocks();
  }

  onForward(ranOn: string): void {
    this.#call.record = { ...this.#call.record, ranOn };
    this.isForwarded = true;
  }

  onReached(): void {
    this.#call.mayHaveRun = true;
  }

  onUnanswered(request: UnansweredRequest): void {
    this.#call.unanswered = request;
  }

  onTask(received: UpstreamTask): void {
    const { id, status } = received;
    const task = redactMessage(this.#call, this.#entry, received, this.#ports.redact?.()) ?? { id, status };
    if (this.#call.followTask(task) && this.#call.state !== 'ended') this.#ports.onCall?.(this.#call.record);
  }
}

/** The call's host for the connection: questions name the call and pause its deadline; observers receive progress and logs. */
/** Its fields are visible to objects made from it. The methods for questions are created when the server asks one. */
class HostOfCall implements RequestHost {
  private readonly call: RunningCall;
  private readonly entry: CatalogEntry;
  private readonly ports: HostPorts;
  readonly input: RequestHost['input'];
  readonly onProgress: RequestHost['onProgress'];

  constructor(call: RunningCall, entry: CatalogEntry, ports: HostPorts) {
    this.call = call;
    this.entry = entry;
    this.ports = ports;
    this.input = call.input;
    // Requested even if nobody observes it: progress extends the timeout.
    this.onProgress = progressReporter(call, entry, ports);
  }

  get capabilities(): RequestHost['capabilities'] {
    return this.call.host.capabilities;
  }

  get client(): RequestHost['client'] {
    return this.call.host.client;
  }

  get elicit(): RequestHost['elicit'] {
    const { call } = this;
    const host = this.answererOf('elicit');
    if (!host) return undefined;
    return (asked, context) =>
      this.redacted(asked, async (params) => {
        const question = { method: 'elicitation/create', params };
        return call.answer(context, question, async (circumstances) => host.elicit?.(params, circumstances) as never);
      }) as never;
  }

  get sample(): RequestHost['sample'] {
    const { call } = this;
    const host = this.answererOf('sample');
    if (!host) return undefined;
    return (asked, context) =>
      this.redacted(asked, (params) => {
        const question = { method: 'sampling/createMessage', params };
        return call.answer(context, question, async (circumstances) => host.sample?.(params, circumstances) as never);
      });
  }

  get listRoots(): RequestHost['listRoots'] {
    const { call } = this;
    const host = this.answererOf('listRoots');
    if (!host) return undefined;
    return async (context) => {
      const question = { method: 'roots/list', params: {} };
      const answer = await call.answer(context, question, async (asked) => ({ roots: await host.listRoots?.(asked) }));
      return answer.roots as never;
    };
  }

  onNotice({ kind, message }: RequestNotice): void {
    const { progress = 0, total } = this.call.progress ?? {};
    // Progress must increase; the step is far below any that a tool reports.
    showProgress(this.call, { progress: progress + 1e-6, total, message }, this.ports);
    if (kind === 'question-refused') this.showLog({ level: 'warning', logger: 'toolwharf', data: message });
  }

  onLog(received: JsonObject): void {
    const params = redactMessage(this.call, this.entry, received, this.ports.redact?.());
    if (!params) return;
    this.showLog(params, this.entry.server);
    this.ports.onLog(this.call, this.entry.server ?? '', params);
  }

  openReply(subject: string): ReplyMeter | undefined {
    return this.call.host.openReply?.(subject);
  }

  private showLog(params: JsonObject, server?: string): void {
    const { host } = this.call;
    this.call.notifyHost(() => (host.onLog ? host : this.ports.defaultHost).onLog?.(params, server));
    this.call.emit({ type: 'log', params });
  }

  /** Asks a question without what the host must not see, and answers without what the server must not see. */
  private redacted(params: JsonObject, ask: (shown: JsonObject) => Promise<JsonObject>): Promise<JsonObject> {
    const redact = this.ports.redact?.();
    return redact ? redactQuestion(this.call, this.entry, params, ask, redact) : ask(params);
  }

  /** The host that answers a kind of question: the call's own, or else the default one. */
  private answererOf(method: 'elicit' | 'sample' | 'listRoots'): CallHost | undefined {
    const { host } = this.call;
    if (host[method]) return host;
    return this.ports.defaultHost[method] ? this.ports.defaultHost : undefined;
  }
}

type HostPorts = Pick<DispatchPorts, 'defaultHost' | 'onLog' | 'redact'>;

function reportProgress(call: RunningCall, entry: CatalogEntry, received: Progress, ports: HostPorts): void {
  call.deadline?.restart();
  const { progress, total } = received;
  showProgress(call, redactMessage(call, entry, received, ports.redact?.()) ?? { progress, total }, ports);
}

function progressReporter(call: RunningCall, entry: CatalogEntry, ports: HostPorts): (progress: Progress) => void {
  return (progress) => reportProgress(call, entry, progress, ports);
}

function showProgress(call: RunningCall, progress: Progress, { defaultHost }: Pick<HostPorts, 'defaultHost'>): void {
  // A local function may report its progress after its call was cancelled.
  if (call.state === 'ended') return;
  call.progress = progress;
  call.notifyHost(() => (call.host.onProgress ? call.host : defaultHost).onProgress?.(progress));
  call.emit({ type: 'progress', progress });
}

async function runLocal(
  call: RunningCall,
  entry: CatalogEntry,
  args: JsonObject,
  steps: ToolSteps | undefined,
  ports: DispatchPorts,
): Promise<JsonObject> {
  const { name, local } = entry;
  const { signal } = call;
  const context = {
    signal,
    onProgress: (progress: Progress) => reportProgress(call, entry, progress, ports),
    async call(step: string, given: unknown): Promise<ToolResult> {
      if (!local?.composed || !steps)
        throw new ToolwharfError('TOOL_FAILED', `${name} calls other tools: declare it with composed: true`);
      return steps.callStep(step, given);
    },
  };
  try {
    const onRun = () => {
      call.mayHaveRun = true;
    };
    return await runLocalTool(
      local as NonNullable<typeof local>,
      structuredClone(toProgramValue(args) as JsonObject),
      context,
      onRun,
    );
  } catch (cause) {
    if (cause instanceof ToolwharfError || signal.aborted) throw cause;
    throw new ToolwharfError('TOOL_FAILED', messageOf(cause), { cause });
  }
}

/** Only annotations of a trusted server make a call repeatable. */
function isRepeatable({ serverTrusted, definition }: CatalogEntry): boolean {
  const { readOnlyHint, idempotentHint } = definition.annotations ?? {};
  return serverTrusted && (readOnlyHint === true || idempotentHint === true);
}
