import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { Call, CallHost } from '../../../toolwharf/invocation/call.ts';
import type { Journal } from '../../../toolwharf/invocation/journal.ts';
import type { AbortSource } from '../../../toolwharf/kernel/abort-source.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { PendingQuestions } from '../calls/pending-questions.ts';
import type { Fleet } from '../replicas/fleet.ts';
import type { SharedCalls } from '../replicas/shared-calls.ts';
import type { ClientRequest, TaskGeneration } from './client-request.ts';
import { RpcError, rpcCode } from './rpc.ts';

/** The calls of MCP clients as tasks. */
export interface CallTasks {
  /** False if calls are never tasks: then no capability is announced. */
  readonly isOn: boolean;
  /** Prepares a call that can become a task; undefined if calls are never tasks. */
  prepare(request: ClientRequest, callId: string, client: CallHost): Taskable | undefined;
  /** True for a method of this generation of tasks. */
  hasMethod(generation: TaskGeneration, method: string): boolean;
  /** Answers a request for such a method. */
  answer(generation: TaskGeneration, request: ClientRequest): Promise<JsonObject>;
  /** The tasks with these ids that the caller can see. */
  find(ids: readonly string[], request: ClientRequest): Promise<ReadonlyMap<string, WatchedTask>>;
}

/** A call that can become a task while it runs. */
export interface Taskable {
  /** The client until the call is a task. Then the client answers questions through the methods of tasks. */
  readonly host: CallHost;
  /** Aborts with the request until the call is a task. */
  readonly signal: AbortSource;
  /** Returns the created task when the call has become one; undefined if it ended before. */
  becomeTask(call: Call): Promise<JsonObject | undefined>;
}

export interface WatchedTask {
  /** Yields the params of `notifications/tasks`: the task now, and whenever its status changes. */
  watch(left: AbortSignal): AsyncIterable<JsonObject>;
}

/** Creates the tasks of one endpoint. */
export type CreateTasks = (ports: TaskPorts) => CallTasks;

export interface TaskPorts extends SharedTaskPorts {
  readonly toolbox: InternalToolbox;
  /** Sends a message to a legacy client outside of any request. */
  readonly broadcast: (session: string, message: JsonObject) => void;
}

/** What finds tasks beyond the calls of this process. */
export interface SharedTaskPorts {
  /** The questions that the app and the API list; none by default. */
  readonly questions?: Pick<PendingQuestions, 'list'>;
  /** Without it, a task is found as long as this process retains it. */
  readonly journal?: Pick<Journal, 'get' | 'list'>;
  readonly calls?: Pick<SharedCalls, 'cancel' | 'findReplica'>;
  readonly fleet?: Fleet;
}

/** Calls are never tasks. */
export const noTasks: CallTasks = {
  isOn: false,
  prepare: () => undefined,
  hasMethod: () => false,
  async answer(_generation, { method }) {
    throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`, { httpStatus: 404 });
  },
  find: async () => new Map(),
};

/** True if a client of revision 2025-11-25 asks for a task. */
export function asksForTask({ tasks, params }: Pick<ClientRequest, 'tasks' | 'params'>): boolean {
  return tasks === 'v1' && isObject(params.task);
}

/** True if the call of a client can become a task: in revision 2025-11-25, the client decides, in the extension the gateway does. */
export function canBecomeTask(request: Pick<ClientRequest, 'tasks' | 'params'>): boolean {
  return request.tasks === 'v2' || asksForTask(request);
}
