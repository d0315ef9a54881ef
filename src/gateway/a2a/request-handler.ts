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
import { ToolwharfError } from '../../kernel/errors.ts';
import type { ToolResult } from '../../kernel/tool.ts';
import { measureJson } from '../../policy/measure-json.ts';
import type { CallerUsage } from '../limits/limits.ts';
import type { McpClient } from '../mcp/endpoint.ts';
import type { View } from '../mcp/view.ts';
import type { PendingQuestions } from '../questions/pending-questions.ts';
import { listTasks, withHistory } from './list-tasks.ts';
import { type RequestedCall, type StartPorts, startTask } from './start-task.ts';
import { summarizeTask, toArtifacts, toTask, watchTask } from './task.ts';
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

export interface HandlerPorts extends StartPorts {
  readonly questions: Pick<PendingQuestions, 'list'>;
  readonly board: TaskBoard;
}

/** Implements the A2A methods for the sender of one request. */
export function createRequestHandler(facts: A2aRequestFacts, ports: HandlerPorts): A2ARequestHandler {
  const { caller, profile, refreshPolicy, view, card, gone } = facts;
  const { board, questions } = ports;

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
      const { call } = begun;
      // A blocking request also returns when the task waits for a person.
      if (params.configuration?.returnImmediately !== true)
        for await (const _change of watchTask(begun, gone, questions)) if (isOver(begun) || call.approval) break;
      return withHistory(await toTask(begun, questions), params.configuration?.historyLength);
    },
    async *sendMessageStream(params) {
      const begun = begin(params);
      if (isTask(begun)) yield* watchTask(begun, gone, questions);
      else yield { payload: { $case: 'message', value: begun } };
    },
    getTask: async ({ id, historyLength }) => withHistory(await toTask(findTask(id), questions), historyLength),
    async listTasks(params) {
      const own = board.list(caller.id);
      const page = listTasks(await Promise.all(own.map((task) => summarizeTask(task, questions))), params);
      if (params.includeArtifacts !== true) return page;
      const byId = new Map(own.map((task) => [task.call.id, task]));
      const withArtifacts = async (task: Task) => {
        const found = byId.get(task.id);
        return found ? { ...task, artifacts: await toArtifacts(found) } : task;
      };
      return { ...page, tasks: await Promise.all(page.tasks.map(withArtifacts)) };
    },
    async cancelTask({ id }): Promise<Task> {
      const found = findTask(id);
      found.call.cancel();
      await found.call.result;
      const task = await toTask(found, questions);
      if (task.status?.state === TaskState.TASK_STATE_CANCELED) return task;
      throw new TaskNotCancelableError(`Task '${id}' is over: there is nothing to cancel`);
    },
    async *resubscribe({ id }) {
      const task = findTask(id);
      if (isOver(task)) throw new UnsupportedOperationError(`Task '${id}' is over: get it instead`);
      yield* watchTask(task, gone, questions);
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
function start(requested: RequestedCall, fingerprint: string, bytes: number, ports: HandlerPorts): BoardTask {
  const { board } = ports;
  makeRoom(board, requested.caller.id, bytes);
  const task: BoardTask = { ...startTask(requested, ports), fingerprint, bytes };
  board.add(task);
  void task.call.result.then((result) => board.end(task, bytes + bytesOf(result)));
  return task;
}

function bytesOf({ content, structuredContent, _meta }: ToolResult): number {
  return measureJson({ content, structuredContent, _meta }, { maxBytes: Number.POSITIVE_INFINITY, maxDepth: 600 })
    .bytes;
}

/** Rejects further messages: a task is one call and accepts only its first message. */
function refuseMore(task: BoardTask): A2AError {
  const instead = isOver(task)
    ? 'is over: send the message without its id'
    : 'goes on by itself: wait for it, or cancel it';
  return new UnsupportedOperationError(`Task '${task.call.id}' takes no more messages and ${instead}`);
}

function makeRoom(board: TaskBoard, owner: string, bytes: number): void {
  try {
    board.makeRoom(owner, bytes);
  } catch (cause) {
    if (!(cause instanceof ToolwharfError)) throw cause;
    throw new A2AError({ message: cause.message, metadata: { 'toolwharf/code': cause.code } });
  }
}

function isTask(begun: BoardTask | Message): begun is BoardTask {
  return 'call' in begun;
}

function isOver({ call }: BoardTask): boolean {
  return call.state === 'ended';
}

async function noPush(): Promise<never> {
  throw new PushNotificationNotSupportedError();
}
