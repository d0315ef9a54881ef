import type { CatalogEntry } from '../catalog/catalog.ts';
import { runLocalTool } from '../catalog/local-tool.ts';
import type { AccountUse } from '../connections/accounts/account-store.ts';
import type { CallableTool, Connection, ToolCall } from '../connections/connection.ts';
import type { UpstreamTask } from '../connections/follow-task.ts';
import type { ReplyMeter, RequestHost, RequestNotice } from '../connections/request-host.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import { ConnectionError, messageOf, ToolwharfError } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { Progress, ToolResult } from '../kernel/tool.ts';
import { abortable } from '../kernel/wait.ts';
import type { Authorization } from './authorize.ts';
import type { CallHost, RunningCall } from './call.ts';
import { wasInterrupted } from './call-ending.ts';
import type { CallRecord } from './call-record.ts';
import { createDeadline } from './deadline.ts';

export interface DispatchPorts {
  readonly findConnection: (server: string) => Connection | undefined;
  /** Chooses the account of a call. Undefined if all callers use the same credentials. */
  readonly chooseAccount?: ChooseAccount;
  /** Used for questions that the call's own host does not support. */
  readonly defaultHost: CallHost;
  readonly log: Log;
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

/** The request's `_meta` without what is meant for Toolwharf. */
export function withoutAccount(meta: JsonObject | undefined): JsonObject | undefined {
  if (meta?.[accountMember] === undefined) return meta;
  const { [accountMember]: _account, ...rest } = meta;
  return rest;
}

/** What a tool that calls other tools can do. */
export interface ToolSteps {
  /** Calls another tool as a step of this call. */
  readonly callStep: (name: string, args: unknown) => Promise<ToolResult>;
  /** Runs the tool if it is a script. */
  readonly runScript: (args: JsonObject) => Promise<JsonObject>;
}

/**
 * Runs the tool within its timeout: a request to its server with this `_meta`, or a local function or script, which needs
 * `steps`. Rejects if there is no result.
 */
export async function dispatch(
  call: RunningCall,
  { entry, args }: Authorization,
  meta: JsonObject | undefined,
  steps: ToolSteps | undefined,
  ports: DispatchPorts,
): Promise<JsonObject> {
  const { timeoutMs } = entry.limits;
  const maxTimeoutMs = entry.server === undefined ? undefined : ports.findConnection(entry.server)?.spec.maxTimeoutMs;
  const onExpired = () => call.abort(new DOMException('The time limit of the call has passed', 'TimeoutError'));
  const deadline = createDeadline(timeoutMs, onExpired, maxTimeoutMs);
  call.deadline = deadline;
  try {
    if (entry.script && steps) return await steps.runScript(args);
    // A local function that ignores its signal must not block the call.
    if (entry.local) return await abortable(runLocal(call, entry, args, steps, ports), call.aborting);
    return await send(call, entry, args, meta, ports);
  } catch (cause) {
    if (!deadline.isExpired) throw cause;
    throw new ToolwharfError('CALL_TIMED_OUT', `${call.calledAs} did not finish within ${deadline.limitMs} ms`, {
      cause,
    });
  } finally {
    deadline[Symbol.dispose]();
    call.deadline = undefined;
  }
}

function send(
  call: RunningCall,
  entry: CatalogEntry,
  args: JsonObject,
  meta: JsonObject | undefined,
  ports: DispatchPorts,
): Promise<JsonObject> {
  const connection = entry.server === undefined ? undefined : ports.findConnection(entry.server);
  if (!connection) throw new ConnectionError('SERVER_DISCONNECTED', `Not connected to MCP server: ${entry.server}`);
  const request = new DispatchedCall(call, entry, meta, ports);
  const sending = connection.callTool(callableOf(entry), args, request);
  if (!isRepeatable(entry)) return sending;
  return sending.catch((cause) => {
    if (!wasInterrupted(cause) || call.aborting.aborted) throw cause;
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
  readonly #call: RunningCall;
  readonly #ports: DispatchPorts;

  constructor(call: RunningCall, entry: CatalogEntry, meta: JsonObject | undefined, ports: DispatchPorts) {
    this.#call = call;
    this.#ports = ports;
    this.host = toRequestHost(call, entry, ports);
    this.meta = withoutAccount(meta);
  }

  get id(): string {
    return this.#call.id;
  }

  get signal(): AbortSource {
    return this.#call.aborting;
  }

  get account(): AccountUse | undefined {
    return this.#call.account;
  }

  get prefersTask(): boolean | undefined {
    return this.#call.host.prefersTask;
  }

  onWait(): () => void {
    return this.#call.pauseClocks();
  }

  onForward(ranOn: string): void {
    this.#call.record = { ...this.#call.record, ranOn };
  }

  onTask(task: UpstreamTask): void {
    if (this.#call.followTask(task) && this.#call.state !== 'ended') this.#ports.onCall?.(this.#call.record);
  }
}

/** The call's host for the connection: questions name the call and pause its deadline; observers receive progress and logs. */
export function toRequestHost(
  call: RunningCall,
  entry: CatalogEntry,
  ports: Pick<DispatchPorts, 'defaultHost' | 'onLog'>,
): RequestHost {
  return new HostOfCall(call, entry, ports);
}

/** Its fields are visible to objects made from it. The methods for questions are created when the server asks one. */
class HostOfCall implements RequestHost {
  private readonly call: RunningCall;
  private readonly entry: CatalogEntry;
  private readonly ports: Pick<DispatchPorts, 'defaultHost' | 'onLog'>;
  readonly input: RequestHost['input'];
  readonly onProgress: RequestHost['onProgress'];

  constructor(call: RunningCall, entry: CatalogEntry, ports: Pick<DispatchPorts, 'defaultHost' | 'onLog'>) {
    this.call = call;
    this.entry = entry;
    this.ports = ports;
    this.input = call.host.input;
    const { defaultHost } = ports;
    // Without an observer no progress is requested.
    if (call.host.onProgress || defaultHost.onProgress || call.hasListeners)
      this.onProgress = progressReporter(call, defaultHost);
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
    return async (params, context) => {
      const question = { method: 'elicitation/create', params };
      return (await call.answer(context, question, async (asked) => host.elicit?.(params, asked) as never)) as never;
    };
  }

  get sample(): RequestHost['sample'] {
    const { call } = this;
    const host = this.answererOf('sample');
    if (!host) return undefined;
    return (params, context) => {
      const question = { method: 'sampling/createMessage', params };
      return call.answer(context, question, async (asked) => host.sample?.(params, asked) as never);
    };
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
    showProgress(this.call, { progress: progress + 1e-6, total, message }, this.ports.defaultHost);
    if (kind === 'question-refused') this.showLog({ level: 'warning', logger: 'toolwharf', data: message });
  }

  onLog(params: JsonObject): void {
    this.showLog(params);
    this.ports.onLog(this.call, this.entry.server ?? '', params);
  }

  openReply(subject: string): ReplyMeter | undefined {
    return this.call.host.openReply?.(subject);
  }

  private showLog(params: JsonObject): void {
    const { host } = this.call;
    (host.onLog ? host : this.ports.defaultHost).onLog?.(params);
    this.call.emit({ type: 'log', params });
  }

  /** The host that answers a kind of question: the call's own, or else the default one. */
  private answererOf(method: 'elicit' | 'sample' | 'listRoots'): CallHost | undefined {
    const { host } = this.call;
    if (host[method]) return host;
    return this.ports.defaultHost[method] ? this.ports.defaultHost : undefined;
  }
}

function reportProgress(call: RunningCall, progress: Progress, defaultHost: CallHost): void {
  call.deadline?.restart();
  showProgress(call, progress, defaultHost);
}

function progressReporter(call: RunningCall, defaultHost: CallHost): (progress: Progress) => void {
  return (progress) => reportProgress(call, progress, defaultHost);
}

function showProgress(call: RunningCall, progress: Progress, defaultHost: CallHost): void {
  call.progress = progress;
  (call.host.onProgress ? call.host : defaultHost).onProgress?.(progress);
  call.emit({ type: 'progress', progress });
}

async function runLocal(
  call: RunningCall,
  { name, local }: CatalogEntry,
  args: JsonObject,
  steps: ToolSteps | undefined,
  { defaultHost }: DispatchPorts,
): Promise<JsonObject> {
  const { signal } = call;
  const context = {
    signal,
    onProgress: (progress: Progress) => reportProgress(call, progress, defaultHost),
    async call(step: string, given: unknown): Promise<ToolResult> {
      if (!local?.composed || !steps)
        throw new ToolwharfError('TOOL_FAILED', `${name} calls other tools: declare it with composed: true`);
      return steps.callStep(step, given);
    },
  };
  try {
    return await runLocalTool(local as NonNullable<typeof local>, args, context);
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
