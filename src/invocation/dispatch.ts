import type { CatalogEntry } from '../catalog/catalog.ts';
import { runLocalTool } from '../catalog/local-tool.ts';
import type { AccountUse } from '../connections/accounts/account-store.ts';
import type { Connection } from '../connections/connection.ts';
import type { UpstreamTask } from '../connections/follow-task.ts';
import type { RequestHost } from '../connections/request-host.ts';
import { ConnectionError, messageOf, ToolwharfError } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { Progress, ToolResult } from '../kernel/tool.ts';
import { abortable } from '../kernel/wait.ts';
import type { Authorization } from './authorize.ts';
import type { CallHost, RunningCall } from './call.ts';
import { wasInterrupted } from './call-ending.ts';
import { createDeadline } from './deadline.ts';

export interface DispatchPorts {
  readonly findConnection: (server: string) => Connection | undefined;
  /** Chooses the account of a call. Undefined if all callers use the same credentials. */
  readonly chooseAccount?: ChooseAccount;
  /** Used for questions that the call's own host does not support. */
  readonly defaultHost: CallHost;
  readonly log: Log;
  readonly onLog: (call: RunningCall, server: string, params: JsonObject) => void;
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

export interface DispatchOptions {
  /** Sent to the server as the request's `_meta`. */
  readonly meta?: JsonObject;
  /** Called with each status of the task as which the server runs the call. */
  readonly onTask?: (task: UpstreamTask) => void;
  /** Calls another tool as a step of this call. */
  readonly callStep: (name: string, args: unknown) => Promise<ToolResult>;
  /** Runs the tool if it is a script. */
  readonly runScript: (args: JsonObject) => Promise<JsonObject>;
}

/** Runs the tool within its timeout: a request to its server, or a local function. Rejects if there is no result. */
export async function dispatch(
  call: RunningCall,
  { entry, args }: Authorization,
  options: DispatchOptions,
  ports: DispatchPorts,
): Promise<JsonObject> {
  const { timeoutMs } = entry.limits;
  const maxTimeoutMs = entry.server === undefined ? undefined : ports.findConnection(entry.server)?.spec.maxTimeoutMs;
  const onExpired = () => call.abort(new DOMException('The time limit of the call has passed', 'TimeoutError'));
  using deadline = createDeadline(timeoutMs, onExpired, maxTimeoutMs);
  call.deadline = deadline;
  try {
    // A local function that ignores its signal must not block the call.
    if (entry.script) return await options.runScript(args);
    if (entry.local) return await abortable(runLocal(call, entry, args, options, ports), call.signal);
    return await send(call, entry, args, options, ports);
  } catch (cause) {
    if (!deadline.isExpired) throw cause;
    throw new ToolwharfError('CALL_TIMED_OUT', `${call.calledAs} did not finish within ${deadline.limitMs} ms`, {
      cause,
    });
  } finally {
    call.deadline = undefined;
  }
}

async function send(
  call: RunningCall,
  entry: CatalogEntry,
  args: JsonObject,
  { meta, onTask }: DispatchOptions,
  { findConnection, log, ...ports }: DispatchPorts,
): Promise<JsonObject> {
  const connection = entry.server === undefined ? undefined : findConnection(entry.server);
  if (!connection) throw new ConnectionError('SERVER_DISCONNECTED', `Not connected to MCP server: ${entry.server}`);
  const { id, signal } = call;
  const { execution } = entry.definition;
  const taskSupport = isObject(execution) ? execution.taskSupport : undefined;
  const tool = { name: entry.originalName, paramHeaders: entry.paramHeaders, taskSupport };
  const request = {
    ...{ id, signal, host: toRequestHost(call, entry, ports), onTask, prefersTask: call.host.prefersTask },
    ...{ meta: withoutAccount(meta), account: call.account },
    onWait: () => call.pauseClocks(),
    onForward(ranOn: string) {
      call.record = { ...call.record, ranOn };
    },
  };
  try {
    return await connection.callTool(tool, args, request);
  } catch (cause) {
    if (!wasInterrupted(cause) || signal.aborted || !isRepeatable(entry)) throw cause;
    log.info('call.repeated', `${entry.name} is sent again: its connection broke and it is safe to repeat`, {
      tool: entry.name,
    });
    return connection.callTool(tool, args, request);
  }
}

/** The call's host for the connection: questions name the call and pause its deadline; observers receive progress and logs. */
export function toRequestHost(
  call: RunningCall,
  entry: CatalogEntry,
  { defaultHost, onLog }: Pick<DispatchPorts, 'defaultHost' | 'onLog'>,
): RequestHost {
  const { host } = call;
  const elicit = host.elicit ? host : defaultHost.elicit && defaultHost;
  const sample = host.sample ? host : defaultHost.sample && defaultHost;
  const roots = host.listRoots ? host : defaultHost.listRoots && defaultHost;
  return {
    capabilities: host.capabilities,
    client: host.client,
    elicit:
      elicit &&
      (async (params, context) => {
        const question = { method: 'elicitation/create', params };
        return (await call.answer(
          context,
          question,
          async (asked) => elicit.elicit?.(params, asked) as never,
        )) as never;
      }),
    sample:
      sample &&
      ((params, context) => {
        const question = { method: 'sampling/createMessage', params };
        return call.answer(context, question, async (asked) => sample.sample?.(params, asked) as never);
      }),
    listRoots:
      roots &&
      (async (context) => {
        const question = { method: 'roots/list', params: {} };
        const answer = await call.answer(context, question, async (asked) => ({
          roots: await roots.listRoots?.(asked),
        }));
        return answer.roots as never;
      }),
    // Without an observer no progress is requested.
    onProgress:
      host.onProgress || defaultHost.onProgress || call.hasListeners
        ? (progress) => reportProgress(call, progress, defaultHost)
        : undefined,
    onNotice({ kind, message }) {
      const { progress = 0, total } = call.progress ?? {};
      // Progress must increase; the step is far below any that a tool reports.
      showProgress(call, { progress: progress + 1e-6, total, message }, defaultHost);
      if (kind !== 'question-refused') return;
      const params = { level: 'warning', logger: 'toolwharf', data: message };
      (host.onLog ? host : defaultHost).onLog?.(params);
      call.emit({ type: 'log', params });
    },
    onLog(params) {
      (host.onLog ? host : defaultHost).onLog?.(params);
      call.emit({ type: 'log', params });
      onLog(call, entry.server ?? '', params);
    },
    input: host.input,
    openReply: host.openReply,
  };
}

function reportProgress(call: RunningCall, progress: Progress, defaultHost: CallHost): void {
  call.deadline?.restart();
  showProgress(call, progress, defaultHost);
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
  { callStep }: DispatchOptions,
  { defaultHost }: DispatchPorts,
): Promise<JsonObject> {
  const { signal } = call;
  const context = {
    signal,
    onProgress: (progress: Progress) => reportProgress(call, progress, defaultHost),
    async call(step: string, given: unknown): Promise<ToolResult> {
      if (!local?.composed)
        throw new ToolwharfError('TOOL_FAILED', `${name} calls other tools: declare it with composed: true`);
      return callStep(step, given);
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
