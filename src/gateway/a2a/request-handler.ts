import { type AgentCard, type Message, type SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk';
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
import { messageOf, ToolwharfError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { CallerUsage } from '../limits/limits.ts';
import type { McpClient } from '../mcp/endpoint.ts';
import type { View } from '../mcp/view.ts';
import { listTasks, withHistory } from './list-tasks.ts';
import { createLiveTask } from './live-task.ts';
import { type RunPorts, runTask, type TaskCall } from './run-task.ts';
import type { BoardTask, TaskBoard } from './task-board.ts';
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

export interface HandlerPorts extends RunPorts {
  readonly toolbox: Pick<InternalToolbox, 'start'> & { readonly calls: Pick<InternalToolbox['calls'], 'find'> };
  readonly board: TaskBoard;
  readonly log: Log;
}

/** Implements the A2A methods for the sender of one request. */
export function createRequestHandler(facts: A2aRequestFacts, ports: HandlerPorts): A2ARequestHandler {
  const { caller, profile, refreshPolicy, view, card, gone } = facts;
  const { board } = ports;

  function findTask(id: string): BoardTask {
    const task = board.find(caller.id, id);
    if (!task) throw new TaskNotFoundError(`There is no task '${id}': it is not yours, or it ended long ago`);
    return task;
  }

  /** Starts the task that a message requests, or returns a reply if the message requests no call. */
  function begin({ message, configuration }: SendMessageRequest): BoardTask | Message {
    if (configuration?.taskPushNotificationConfig) throw new PushNotificationNotSupportedError();
    const checked = checkMessage(message);
    if (checked.taskId !== '') throw refuseMore(findTask(checked.taskId));
    const asked = readA2aMessage(checked);
    const contextId = checked.contextId || createId();
    if (asked.kind !== 'call') {
      const tools = toolsOf(view);
      const described = asked.kind === 'describe' ? tools.find(({ name }) => name === asked.tool) : undefined;
      const why = asked.kind === 'describe' ? 'it names no skill' : asked.reason;
      return toAgentMessage(described ? explainSkill(described) : explainSkills(tools, why), { contextId });
    }
    const fingerprint = hashOf([profile.name, asked.tool, asked.arguments]);
    const before = board.findMessage(caller.id, checked.messageId);
    if (before?.fingerprint === fingerprint) return before;
    const { tool, arguments: args } = asked;
    const call = { tool, arguments: args, entry: view.findTool(tool), message: { ...checked, contextId } };
    const { traceparent, bytes } = facts;
    return start(
      { ...call, caller, profile, refreshPolicy, mayUse: view.hasTool, traceparent, callerLimits: facts.usage?.calls },
      fingerprint,
      bytes,
      ports,
    );
  }

  return {
    getAgentCard: async () => card(),
    getAuthenticatedExtendedAgentCard: async () => card(),
    async sendMessage(params) {
      const begun = begin(params);
      if (!isTask(begun)) return begun;
      const { live } = begun;
      if (params.configuration?.returnImmediately !== true)
        for await (const _change of live.watch(gone)) if (live.isOver || live.isInterrupted) break;
      return withHistory(live.task, params.configuration?.historyLength);
    },
    async *sendMessageStream(params) {
      const begun = begin(params);
      if (isTask(begun)) yield* begun.live.watch(gone);
      else yield { payload: { $case: 'message', value: begun } };
    },
    getTask: async ({ id, historyLength }) => withHistory(findTask(id).live.task, historyLength),
    listTasks: async (params) =>
      listTasks(
        board.list(caller.id).map(({ live }) => live.task),
        params,
      ),
    async cancelTask({ id }): Promise<Task> {
      const { live, cancel } = findTask(id);
      if (!live.isOver) await cancel();
      if (live.task.status?.state === TaskState.TASK_STATE_CANCELED) return live.task;
      throw new TaskNotCancelableError(`Task '${id}' is over: there is nothing to cancel`);
    },
    async *resubscribe({ id }) {
      const { live } = findTask(id);
      if (live.isOver) throw new UnsupportedOperationError(`Task '${id}' is over: get it instead`);
      yield* live.watch(gone);
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
function start(call: TaskCall, fingerprint: string, bytes: number, ports: HandlerPorts): BoardTask {
  const { board, log } = ports;
  const { caller, message } = call;
  const live = createLiveTask(createId(), message);
  const cancel = async () => {
    ports.toolbox.calls.find(live.id)?.cancel();
    await done;
  };
  const task: BoardTask = { live, owner: caller.id, messageId: message.messageId, fingerprint, bytes, cancel };
  addTo(board, task);
  const done = runTask(live, call, ports)
    .catch((cause) => {
      log.error('a2a.failed', `A task failed: ${messageOf(cause)}`, { call: live.id });
      live.setState(TaskState.TASK_STATE_FAILED, 'Internal error');
      return 0;
    })
    .then((resultBytes) => board.end(task, bytes + resultBytes));
  return task;
}

/** Rejects further messages: a task is one call and accepts only its first message. */
function refuseMore({ live }: BoardTask): A2AError {
  const instead = live.isOver
    ? 'is over: send the message without its id'
    : 'goes on by itself: wait for it, or cancel it';
  return new UnsupportedOperationError(`Task '${live.id}' takes no more messages and ${instead}`);
}

function addTo(board: TaskBoard, task: BoardTask): void {
  try {
    board.add(task);
  } catch (cause) {
    if (!(cause instanceof ToolwharfError)) throw cause;
    throw new A2AError({ message: cause.message, metadata: { 'toolwharf/code': cause.code } });
  }
}

function isTask(begun: BoardTask | Message): begun is BoardTask {
  return 'live' in begun;
}

async function noPush(): Promise<never> {
  throw new PushNotificationNotSupportedError();
}
