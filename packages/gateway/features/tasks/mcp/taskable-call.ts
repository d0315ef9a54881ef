import { ToolwharfError } from '../../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../../contract/json.ts';
import type { CallHost, RunningCall } from '../../../../toolwharf/invocation/call.ts';
import { LightAbort } from '../../../../toolwharf/kernel/abort-source.ts';
import type { Progress } from '../../../../toolwharf/kernel/tool.ts';
import { measureJson } from '../../../../toolwharf/policy/measure-json.ts';
import { asksForTask, type Taskable, type TaskPorts } from '../../../core/mcp/call-tasks.ts';
import { askClientUser } from '../../../core/mcp/client-host.ts';
import type { ClientRequest } from '../../../core/mcp/client-request.ts';
import { missingCapability } from '../../../core/mcp/missing-capability.ts';
import { metaOf, RpcError, rpcCode } from '../../../core/mcp/rpc.ts';
import type { SharedTasks } from '../shared-tasks.ts';
import { resultBytes } from '../task-board.ts';
import { viewOf } from '../task-view.ts';
import { toCreated, toTaskV1 } from './mcp-task.ts';

/** The ports of tasks of MCP clients. */
export interface McpTaskPorts extends Pick<TaskPorts, 'toolbox' | 'broadcast'> {
  /** The tasks of all protocols. */
  readonly shared: SharedTasks;
}

/** How long a call may take before a client of the extension gets a task. */
const waitMs = 1_000;
/** The longest and the usual time in which a client finds its task, from the time of the call. */
const maxTtlMs = 24 * 3_600_000;

export function createTaskable(
  request: ClientRequest,
  callId: string,
  client: CallHost,
  { toolbox, shared, broadcast }: McpTaskPorts,
): Taskable {
  const { tasks: generation, profile } = request;
  const isRequested = asksForTask(request);
  let isTask = isRequested;
  const cancelled = new LightAbort();
  const onAbort = () => cancelled.abort(request.signal.reason);
  if (request.signal.aborted) onAbort();
  else request.signal.addEventListener('abort', onAbort, { once: true });

  /** Waits for the answer that the client gives through a method of tasks. */
  function awaitAnswer(method: string, params: JsonObject, signal: AbortSignal): Promise<never> {
    const missing = missingCapability(request.capabilities, method, params);
    if (missing) {
      const message = `Missing required client capability: ${Object.keys(missing).join(', ')}`;
      throw new RpcError(rpcCode.missingCapability, message, { data: { requiredCapabilities: missing } });
    }
    return new Promise((_resolve, reject) => {
      const fail = () => reject(signal.reason);
      const expire = () => reject(new Error('No answer in time'));
      const timer = setTimeout(expire, toolbox.config.toolbox.approval.expiresMs).unref();
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          fail();
        },
        { once: true },
      );
      if (signal.aborted) fail();
    });
  }

  function notify(method: string, params: JsonObject): void {
    if (request.session !== undefined) broadcast(request.session, { jsonrpc: '2.0', method, params });
  }

  const { progressToken } = metaOf(request.params);
  const host: CallHost = {
    capabilities: client.capabilities,
    client: client.client,
    input: client.input,
    mayRepeat: client.mayRepeat,
    openReply: (subject) => client.openReply?.(subject),
    prefersTask: true,
    elicit: async (params, context) =>
      isTask ? awaitAnswer('elicitation/create', params, context.signal) : (client.elicit?.(params, context) as never),
    sample: async (params, context) =>
      isTask
        ? awaitAnswer('sampling/createMessage', params, context.signal)
        : (client.sample?.(params, context) as never),
    listRoots: async (context) =>
      isTask ? awaitAnswer('roots/list', {}, context.signal) : (client.listRoots?.(context) as never),
    onProgress(progress: Progress) {
      if (!isTask) client.onProgress?.(progress);
      else if (progressToken !== undefined) notify('notifications/progress', { progressToken, ...progress });
    },
    onLog(params) {
      if (!isTask) client.onLog?.(params);
    },
    askClient:
      client.askClient &&
      ((approval, signal) => {
        const running = isTask ? toolbox.calls.find(callId) : undefined;
        if (!running) return client.askClient?.(approval, signal) as never;
        const ask: ClientRequest['ask'] = (method, params, asked) =>
          running.ask({ method, params }, asked, async (withdrawn) => awaitAnswer(method, params, withdrawn));
        return askClientUser({ ask }, approval, signal);
      }),
  };

  /** Tells a legacy client of every change of the status. */
  function notifyStatus(call: RunningCall): void {
    if (generation !== 'v1') return;
    let last: unknown = 'working';
    const report = async () => {
      const task = toTaskV1(await viewOf(call));
      if (task.status === last) return;
      last = task.status;
      notify('notifications/tasks/status', task);
    };
    call.subscribe((event) => {
      if (event.type === 'questions' || event.type === 'ended') void report();
    });
  }

  /** Makes the call a task of this client. From now on its questions wait for the methods of tasks. */
  function addTask(call: RunningCall): void {
    const { board } = shared;
    const { bytes } = measureJson(request.params, unbounded);
    board.makeRoom(call.caller.id, bytes);
    const task = { call, bytes };
    board.add(task);
    isTask = true;
    request.signal.removeEventListener('abort', onAbort);
    // The memory of the request and its result counts until the call has ended.
    request.usage?.body?.retainUntil(call.result);
    request.usage?.results?.retainUntil(call.result);
    void call.result.then((result) => board.end(task, bytes + resultBytes(result)));
    notifyStatus(call);
  }

  async function recordTask(call: RunningCall): Promise<JsonObject> {
    try {
      await call.becomeTask({ profile: profile.name, ttlMs: ttlOf(request) });
    } catch (cause) {
      call.cancel('the task could not be recorded');
      throw cause;
    }
    return toCreated(await viewOf(call), generation ?? 'v2');
  }

  return {
    host,
    signal: cancelled,
    async becomeTask(call) {
      const running = toolbox.calls.find(callId);
      if (!running || running !== call) return undefined;
      try {
        if (isRequested) addTask(running);
        else if (!(await isLong(running, addTask))) return undefined;
        return await recordTask(running);
      } catch (cause) {
        // Without room for another task, a client of the extension waits for the result.
        if (!isRequested && cause instanceof ToolwharfError && cause.code === 'QUEUE_FULL') return undefined;
        if (isRequested) running.cancel('there is no room for another task');
        throw cause;
      }
    },
  };
}

/**
 * Resolves with true when the server runs the call as a task, or when the call takes long, but not while a question waits
 * for the client, which answers it in the next round of its request. Resolves with false when the call has ended. `onLong` is
 * called before the next event of the call, which may be a question.
 */
function isLong(call: RunningCall, onLong: (call: RunningCall) => void): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let isDue = call.record.upstreamTask !== undefined;
    const timer = setTimeout(() => check(true), waitMs).unref();
    const unsubscribe = call.subscribe((event) => {
      if (event.type === 'ended') settle(false);
      else if (event.type === 'upstream-task') check(true);
      else if (event.type === 'questions') check(isDue);
    });
    function settle(value: boolean): void {
      clearTimeout(timer);
      unsubscribe();
      try {
        if (value) onLong(call);
        resolve(value);
      } catch (cause) {
        reject(cause);
      }
    }
    function check(due: boolean): void {
      isDue = due;
      if (isDue && call.questions.length === 0) settle(true);
    }
    check(isDue);
  });
}

/** A client of revision 2025-11-25 can ask for a shorter time. */
function ttlOf({ tasks, params }: ClientRequest): number {
  const asked = tasks === 'v1' && isObject(params.task) ? params.task.ttl : undefined;
  return typeof asked === 'number' && asked >= 0 ? Math.min(Math.round(asked), maxTtlMs) : maxTtlMs;
}

const unbounded = { maxBytes: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY };
