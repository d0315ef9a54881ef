import { createHmac } from 'node:crypto';
import {
  type AgentCard,
  type ListTasksRequest,
  type ListTasksResponse,
  Message,
  type SendMessageRequest,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import {
  A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { Call } from '../../../toolwharf/invocation/call.ts';
import { createFailedCall } from '../../../toolwharf/invocation/failed-call.ts';
import type { InternalStartOptions } from '../../../toolwharf/invocation/invoker.ts';
import { showArguments } from '../../../toolwharf/invocation/prepare-arguments.ts';
import { hashOf } from '../../../toolwharf/kernel/canonical-json.ts';
import { createId } from '../../../toolwharf/kernel/create-id.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import { explainUnknown } from '../../../toolwharf/servers/wait-for-tools.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { AppHosts } from '../../core/calls/app-hosts.ts';
import type { Traces } from '../../core/calls/traces.ts';
import type { CallerUsage } from '../../core/http/limits/limits.ts';
import type { McpClient } from '../../core/mcp/endpoint.ts';
import { startCallSpan } from '../../core/mcp/traced.ts';
import type { View } from '../../core/mcp/view.ts';
import type { FoundTask, SharedTasks } from '../tasks/shared-tasks.ts';
import { type BoardTask, resultBytes, type TaskBoard } from '../tasks/task-board.ts';
import { explainSkill, explainSkills, readA2aMessage, toAgentMessage } from './a2a.ts';
import { applyToTask, isA2aTask, isInterrupted, isTerminal, toEvents, toTask } from './task.ts';
import { toolsOf } from './tools-of.ts';

/** The sender and the context of one request. */
export interface A2aRequestFacts extends Omit<McpClient, 'usage'> {
  readonly usage?: Pick<CallerUsage, 'calls' | 'weighText'>;
  readonly view: View;
  /** The tools at a later time. */
  readonly readView: () => View | Promise<View>;
  readonly card: () => AgentCard;
  /** Aborts when the client disconnects. The task continues. */
  readonly gone: AbortSignal;
  /** The size of the whole request. */
  readonly bytes: number;
  readonly traceparent: string | undefined;
}

export interface HandlerPorts extends StartPorts {
  readonly tasks: SharedTasks;
  /** The same on all replicas, so that a repeated message gets the same task id on each of them. */
  readonly taskKey: Buffer;
  /** Waits for a tool whose server another replica is about to run; undefined if there is nothing to wait for. */
  readonly waitForTools?: (tool: string) => Promise<void> | undefined;
}

/** Implements the A2A methods for the sender of one request. */
export function createRequestHandler(facts: A2aRequestFacts, ports: HandlerPorts): A2ARequestHandler {
  const { caller, profile, refreshPolicy, view, card, gone } = facts;
  const { tasks } = ports;

  async function lookUp(id: string): Promise<FoundTask | undefined> {
    const task = await tasks.find(caller.id, id);
    return task && isA2aTask(await task.read()) ? task : undefined;
  }

  async function findTask(id: string): Promise<FoundTask> {
    const task = await lookUp(id);
    if (!task) throw new TaskNotFoundError(`There is no task '${id}': it is not yours, or it ended long ago`);
    return task;
  }

  /** The task of a message, or the id of a new one. A task whose call was surely not sent is followed by another one. */
  async function findTaskOf(about: readonly unknown[]): Promise<{ readonly id: string; readonly before?: FoundTask }> {
    for (let attempt = 0; ; attempt++) {
      // The id is secret to other callers, who can choose the ids of their calls.
      const id = toTaskId(attempt === 0 ? about : [...about, attempt], ports.taskKey);
      const before = await lookUp(id);
      if (!before || !(await before.read()).wasUnsent) return { id, before };
    }
  }

  /** The tools, once the server of a tool has started or moved. It may have done so since the view was read. */
  async function viewWith(tool: string): Promise<View> {
    if (view.findTool(tool)) return view;
    await ports.waitForTools?.(tool);
    return facts.readView();
  }

  /** Starts the task that a message requests, or returns a reply if the message requests no call. */
  async function begin({ message, configuration }: SendMessageRequest): Promise<FoundTask | Message> {
    if (configuration?.taskPushNotificationConfig) throw new PushNotificationNotSupportedError();
    const checked = checkMessage(message);
    if (checked.taskId !== '') throw refuseMore(toTask(await (await findTask(checked.taskId)).read()));
    await weighTexts(checked, facts.usage);
    const asked = readA2aMessage(checked);
    const contextId = checked.contextId || createId();
    if (asked.kind !== 'call') {
      const tools = toolsOf(view);
      const described = asked.kind === 'describe' ? tools.find(({ name }) => name === asked.tool) : undefined;
      const why = asked.kind === 'describe' ? 'it names no skill' : asked.reason;
      return toAgentMessage(described ? explainSkill(described) : explainSkills(tools, why), { contextId });
    }
    const { tool, arguments: args } = asked;
    const { id, before } = await findTaskOf([caller.id, checked.messageId, profile.name, tool, args]);
    if (before) return before;
    const current = await viewWith(tool);
    const { missing } = current;
    const call = {
      id,
      tool,
      arguments: args,
      entry: current.findTool(tool),
      missing,
      message: { ...checked, contextId },
    };
    const { traceparent, bytes } = facts;
    const policy = { profile, refreshPolicy, mayUse: current.hasTool, callerLimits: facts.usage?.calls };
    start({ ...call, ...policy, caller, traceparent }, bytes, ports);
    return findTask(id);
  }

  return {
    getAgentCard: async () => card(),
    getAuthenticatedExtendedAgentCard: async () => card(),
    async sendMessage(params) {
      const begun = await begin(params);
      if (!isTask(begun)) return begun;
      let task = toTask(await begun.read());
      // A blocking request also returns when the task waits for a person.
      if (params.configuration?.returnImmediately !== true)
        for await (const event of toEvents(begun.watch(gone))) {
          task = applyToTask(task, event);
          if (isTerminal(task) || isInterrupted(task)) break;
        }
      return withHistory(task, params.configuration?.historyLength);
    },
    async *sendMessageStream(params) {
      const begun = await begin(params);
      if (isTask(begun)) yield* toEvents(begun.watch(gone));
      else yield { payload: { $case: 'message', value: begun } };
    },
    getTask: async ({ id, historyLength }) => withHistory(toTask(await (await findTask(id)).read()), historyLength),
    async listTasks(params) {
      const page = listTasks((await tasks.list(caller.id)).filter(isA2aTask).map(toTask), params);
      if (params.includeArtifacts === true) return page;
      return { ...page, tasks: page.tasks.map((task) => ({ ...task, artifacts: [] })) };
    },
    async cancelTask({ id }): Promise<Task> {
      const task = toTask(await (await findTask(id)).cancel());
      if (task.status?.state === TaskState.TASK_STATE_CANCELED) return task;
      throw new TaskNotCancelableError(`Task '${id}' is over: there is nothing to cancel`);
    },
    async *resubscribe({ id }) {
      const found = await findTask(id);
      if (isTerminal(toTask(await found.read())))
        throw new UnsupportedOperationError(`Task '${id}' is over: get it instead`);
      yield* toEvents(found.watch(gone));
    },
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
}

/** Returns one page of the matching tasks, latest change first. */
export function listTasks(tasks: readonly Task[], asked: ListTasksRequest): ListTasksResponse {
  const { pageSize = 50, pageToken, contextId, status, statusTimestampAfter, historyLength } = asked;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100)
    throw new RequestMalformedError('pageSize must be between 1 and 100');
  const after = statusTimestampAfter ? Date.parse(statusTimestampAfter) : undefined;
  if (Number.isNaN(after)) throw new RequestMalformedError('statusTimestampAfter must be an ISO 8601 time');
  if (TaskState[status] === undefined || status === TaskState.UNRECOGNIZED)
    throw new RequestMalformedError('status must be a task state');
  const found = tasks
    .filter((task) => !contextId || task.contextId === contextId)
    .filter((task) => status === TaskState.TASK_STATE_UNSPECIFIED || task.status?.state === status)
    .filter((task) => after === undefined || Date.parse(task.status?.timestamp ?? '') > after)
    .sort((one, other) => (sortKeyOf(one) < sortKeyOf(other) ? 1 : -1));
  const rest = pageToken ? found.filter((task) => sortKeyOf(task) < pageToken) : found;
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  return {
    tasks: page.map((task) => withHistory(task, historyLength)),
    nextPageToken: last && rest.length > page.length ? sortKeyOf(last) : '',
    pageSize,
    totalSize: found.length,
  };
}

/** Returns the task with at most `historyLength` of its latest messages. */
export function withHistory(task: Task, historyLength: number | undefined): Task {
  if (historyLength === undefined) return task;
  return { ...task, history: historyLength > 0 ? task.history.slice(-historyLength) : [] };
}

const maxIdLength = 190;

function checkMessage(message: Message | undefined): Message {
  if (!message?.messageId) throw new RequestMalformedError('A message needs a messageId');
  for (const member of ['messageId', 'contextId'] as const)
    if (message[member].length > maxIdLength)
      throw new RequestMalformedError(`${member} is longer than ${maxIdLength} characters`);
  return message;
}

/** A separate function, so that the closures of a retained task do not retain the whole request. */
function start(requested: RequestedCall, bytes: number, ports: HandlerPorts): void {
  const { board } = ports.tasks;
  makeRoom(board, requested.caller.id, bytes);
  const { entry, arguments: args, message } = requested;
  // The message has the arguments, of which some may be secret: the record has them without.
  const hasSecrets = entry !== undefined && isObject(args) && showArguments(entry, args) !== args;
  const task: BoardTask = {
    call: startTask(requested, ports),
    detail: hasSecrets ? undefined : toDetail(message),
    bytes,
  };
  board.add(task);
  void task.call.result.then((result) => board.end(task, bytes + resultBytes(result)));
}

/** Waits until the texts of a message, which may be JSON, may be parsed. */
async function weighTexts({ parts }: Message, usage: A2aRequestFacts['usage']): Promise<void> {
  for (const { content } of parts)
    if (content?.$case === 'text') await usage?.weighText(content.value).catch(rejectMessage);
}

function toDetail(message: Message): JsonObject {
  return Message.toJSON(message) as JsonObject;
}

/** An id in the form of a UUID, the same for the same message. */
function toTaskId(about: readonly unknown[], key: Buffer): string {
  const hex = createHmac('sha256', key).update(hashOf(about)).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Rejects further messages: a task is one call and accepts only its first message. */
function refuseMore(task: Task): A2AError {
  const instead = isTerminal(task) ? 'send the message without its id' : 'wait until it has ended, or cancel it';
  return new UnsupportedOperationError(`Task '${task.id}' accepts no more messages: ${instead}`);
}

function makeRoom(board: TaskBoard, owner: string, bytes: number): void {
  try {
    board.makeRoom(owner, bytes);
  } catch (cause) {
    rejectMessage(cause);
  }
}

function rejectMessage(cause: unknown): never {
  if (!(cause instanceof ToolwharfError)) throw cause;
  throw new A2AError({ message: cause.message, metadata: { 'toolwharf/code': cause.code } });
}

function isTask(begun: FoundTask | Message): begun is FoundTask {
  return 'watch' in begun;
}

async function noPush(): Promise<never> {
  throw new PushNotificationNotSupportedError();
}

/** Orders tasks by the time of their latest state. The key is also the page token. */
function sortKeyOf({ status, id }: Task): string {
  return `${status?.timestamp ?? ''} ${id}`;
}

interface StartPorts {
  readonly toolbox: Pick<InternalToolbox, 'start' | 'servers'>;
  readonly hosts: AppHosts;
  readonly traces: Traces;
}

/** The call that a message requests. */
interface RequestedCall {
  /** The id of the task and its call. */
  readonly id: string;
  /** The name that the caller used. */
  readonly tool: string;
  /** Undefined if the tool does not exist or is hidden from this caller. */
  readonly entry: CatalogEntry | undefined;
  readonly missing: View['missing'];
  readonly arguments: unknown;
  readonly message: Message;
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  /** True for tools that the caller may use, also from within a chain. */
  readonly mayUse: View['hasTool'];
  readonly refreshPolicy: InternalStartOptions['refreshPolicy'];
  readonly callerLimits: InternalStartOptions['callerLimits'];
  /** The trace context of the caller. */
  readonly traceparent: string | undefined;
}

/** Starts the call that a message requests. The call fails at once if its tool does not exist. */
function startTask(requested: RequestedCall, { toolbox, hosts, traces }: StartPorts): Call {
  const { id, tool, entry, missing, message, caller, profile } = requested;
  if (!entry) {
    const problem = `There is no skill '${tool}'${explainUnknown(tool, missing)}`;
    return createFailedCall(tool, 'TOOL_NAME_INVALID', problem, { id, caller });
  }
  const span = traces.start('server', `a2a ${entry.name}`, requested.traceparent, {
    'gen_ai.tool.name': entry.name,
    'gen_ai.operation.name': 'execute_tool',
    'toolwharf.profile': profile.name,
  });
  const callSpan = traces.isOn ? startCallSpan(entry, id, span.traceparent, { traces, toolbox }) : span;
  const { traceparent } = callSpan;
  const meta: JsonObject | undefined = traceparent === undefined ? undefined : { traceparent };
  const call = toolbox.start(entry, requested.arguments, {
    id,
    isIdFree: true,
    calledAs: tool,
    caller,
    host: hosts.create({ id, caller }),
    policy: { approval: profile.approval, mayUse: requested.mayUse },
    refreshPolicy: requested.refreshPolicy,
    profile: profile.name,
    callerLimits: requested.callerLimits,
    // The prefix separates message ids from idempotency keys that the same caller uses over other protocols.
    idempotencyKey: `a2a/${message.messageId}`,
    task: { contextId: message.contextId, messageId: message.messageId, skill: tool },
    meta,
  });
  if ('follow' in callSpan) callSpan.follow(call);
  void call.result.then(({ isError, failure }) => span.end({ isError, message: failure?.code }));
  return call;
}
