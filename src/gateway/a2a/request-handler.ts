import { createHmac } from 'node:crypto';
import { type AgentCard, Message, type SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk';
import {
  A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { explainSkill, explainSkills, readA2aMessage, toAgentMessage } from '../../bridges/a2a.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import { createId } from '../../kernel/create-id.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { CallerUsage } from '../limits/limits.ts';
import type { McpClient } from '../mcp/endpoint.ts';
import type { View } from '../mcp/view.ts';
import type { FoundTask, SharedTasks } from '../tasks/shared-tasks.ts';
import { type BoardTask, resultBytes, type TaskBoard } from '../tasks/task-board.ts';
import { listTasks, withHistory } from './list-tasks.ts';
import { type RequestedCall, type StartPorts, startTask } from './start-task.ts';
import { applyToTask, isA2aTask, isInterrupted, isTerminal, toEvents, toTask } from './task.ts';
import { toolsOf } from './tools-of.ts';

/** The sender and the context of one request. */
export interface A2aRequestFacts extends Omit<McpClient, 'usage'> {
  readonly usage?: Pick<CallerUsage, 'calls'>;
  readonly view: View;
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

  /** Starts the task that a message requests, or returns a reply if the message requests no call. */
  async function begin({ message, configuration }: SendMessageRequest): Promise<FoundTask | Message> {
    if (configuration?.taskPushNotificationConfig) throw new PushNotificationNotSupportedError();
    const checked = checkMessage(message);
    if (checked.taskId !== '') throw refuseMore(toTask(await (await findTask(checked.taskId)).read()));
    const asked = readA2aMessage(checked);
    const contextId = checked.contextId || createId();
    if (asked.kind !== 'call') {
      const tools = toolsOf(view);
      const described = asked.kind === 'describe' ? tools.find(({ name }) => name === asked.tool) : undefined;
      const why = asked.kind === 'describe' ? 'it names no skill' : asked.reason;
      return toAgentMessage(described ? explainSkill(described) : explainSkills(tools, why), { contextId });
    }
    // The id is secret to other callers, who can choose the ids of their calls.
    const id = toTaskId([caller.id, checked.messageId, profile.name, asked.tool, asked.arguments], ports.taskKey);
    const before = await lookUp(id);
    if (before) return before;
    const { tool, arguments: args } = asked;
    const call = { id, tool, arguments: args, entry: view.findTool(tool), message: { ...checked, contextId } };
    const { traceparent, bytes } = facts;
    const policy = { profile, refreshPolicy, mayUse: view.hasTool, callerLimits: facts.usage?.calls };
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
  const task: BoardTask = { call: startTask(requested, ports), detail: toDetail(requested.message), bytes };
  board.add(task);
  void task.call.result.then((result) => board.end(task, bytes + resultBytes(result)));
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
    if (!(cause instanceof ToolwharfError)) throw cause;
    throw new A2AError({ message: cause.message, metadata: { 'toolwharf/code': cause.code } });
  }
}

function isTask(begun: FoundTask | Message): begun is FoundTask {
  return 'watch' in begun;
}

async function noPush(): Promise<never> {
  throw new PushNotificationNotSupportedError();
}
