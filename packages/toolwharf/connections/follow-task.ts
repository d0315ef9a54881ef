import { setTimeout as sleep } from 'node:timers/promises';
import { type TaskStatus, taskStatuses } from '../../contract/calls.ts';
import { ProtocolError, ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { exactMember, memberWithText, replaceMembers, valueWithText } from '../kernel/exact-json.ts';
import { errorData } from './delivery-errors.ts';
import type { RequestObserver } from './exchange.ts';

/** The task as which a server runs a call. */
export interface UpstreamTask {
  /** The server's id of the task. */
  readonly id: string;
  readonly status: TaskStatus;
  /** The server's message about the status. */
  readonly message?: string;
}

/** The name of the tasks extension of the modern era. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

export interface FollowTaskPorts extends RequestObserver {
  /** Sends a request about the task. */
  readonly request: (method: string, params: JsonObject, signal?: AbortSignal) => Promise<JsonObject>;
  /** Answers a question of the server. */
  readonly answer: (method: string, params: JsonObject, key: string) => Promise<JsonObject>;
  /** Called with each status that the server reports. */
  readonly onTask?: (task: UpstreamTask) => void;
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;
  /** The time limit of the request that cancels the task. */
  readonly timeoutMs: number;
}

/** The id of the task that a server created instead of a result; undefined for a result. */
export function createdTaskId(result: JsonObject): string | undefined {
  if (result.resultType === 'task' && typeof result.taskId === 'string') return result.taskId;
  if (result.content !== undefined || !isObject(result.task)) return undefined;
  return typeof result.task.taskId === 'string' ? result.task.taskId : undefined;
}

/** Waits for the result of the task that a server created for a call. The task is cancelled with the call. */
export async function followTask(created: JsonObject, ports: FollowTaskPorts): Promise<JsonObject> {
  const isModern = created.resultType === 'task';
  const task = isModern ? created : (created.task as JsonObject);
  const taskId = String(task.taskId);
  try {
    return await (isModern ? followModern(task, taskId, ports) : followLegacy(task, taskId, ports));
  } catch (cause) {
    // The task has ended if the server reported the failure.
    if (!(cause instanceof ProtocolError)) {
      const cancelling = ports.request('tasks/cancel', { taskId }, AbortSignal.timeout(ports.timeoutMs));
      const { promise: end, resolve } = Promise.withResolvers<void>();
      cancelling.then(() => resolve()).catch(() => {});
      if (ports.signal.aborted) ports.onUnanswered?.({ end });
    }
    throw cause;
  }
}

/** A legacy server sends the result, and before it its questions, in response to `tasks/result`. */
async function followLegacy(first: JsonObject, taskId: string, ports: FollowTaskPorts): Promise<JsonObject> {
  const { request, signal, onTask } = ports;
  const ended = new AbortController();
  const stopped = AbortSignal.any([signal, ended.signal]);

  async function poll(): Promise<void> {
    let task = first;
    while (!stopped.aborted) {
      onTask?.(toUpstreamTask(task, taskId));
      await sleep(intervalOf(task.pollInterval), undefined, { signal: stopped, ref: false });
      task = await request('tasks/get', { taskId }, stopped);
    }
  }

  // Only informs about the status: a server that does not report it still returns the result.
  poll().catch(() => {});
  try {
    return withoutRelatedTask(await request('tasks/result', { taskId }, signal));
  } finally {
    ended.abort();
  }
}

/** A modern server reports its questions and the result with the status, for which the client polls. */
async function followModern(first: JsonObject, taskId: string, ports: FollowTaskPorts): Promise<JsonObject> {
  const { request, answer, signal, onTask } = ports;
  const asked = new Set<string>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let wake = () => {};

  async function reply(key: string, question: unknown, params: unknown): Promise<void> {
    if (!isObject(question) || typeof question.method !== 'string')
      throw new ToolwharfError('SERVER_PROTOCOL', 'The server asked for input in a form that is not MCP');
    const given = await answer(question.method, isObject(params) ? params : {}, key);
    await request('tasks/update', { taskId, inputResponses: { [key]: given } }, signal);
    wake();
  }

  for (let task = first; ; ) {
    const upstream = toUpstreamTask(task, taskId);
    onTask?.(upstream);
    if (upstream.status === 'completed') return resultOf(task);
    if (upstream.status === 'failed' || upstream.status === 'cancelled') throw toFailure(task, upstream);
    for (const [key, question] of Object.entries(isObject(task.inputRequests) ? task.inputRequests : {})) {
      if (asked.has(key)) continue;
      asked.add(key);
      reply(key, question, valueWithText(task, 'inputRequests', key, 'params')).catch(failed.reject);
    }
    const answered = new Promise<void>((resolve) => {
      wake = resolve;
    });
    using pause = createPause(intervalOf(task.pollIntervalMs), signal);
    await Promise.race([pause.over, answered, failed.promise]);
    task = await request('tasks/get', { taskId }, signal);
  }
}

const minIntervalMs = 100;
const maxIntervalMs = 30_000;
const usualIntervalMs = 1_000;

/** The server's poll interval within limits. */
function intervalOf(suggested: unknown): number {
  if (typeof suggested !== 'number' || !Number.isFinite(suggested)) return usualIntervalMs;
  return Math.min(Math.max(suggested, minIntervalMs), maxIntervalMs);
}

/** A pause that ends early when it is disposed. */
function createPause(ms: number, signal: AbortSignal): Disposable & { readonly over: Promise<void> } {
  const disposed = new AbortController();
  const over = sleep(ms, undefined, { signal: AbortSignal.any([signal, disposed.signal]), ref: false });
  over.catch(() => {});
  return { over, [Symbol.dispose]: () => disposed.abort() };
}

function toUpstreamTask({ status, statusMessage }: JsonObject, id: string): UpstreamTask {
  const known = taskStatuses.find((one) => one === status);
  if (!known) throw new ProtocolError('SERVER_PROTOCOL', `The server reported the task status ${String(status)}`);
  return { id, status: known, message: typeof statusMessage === 'string' ? statusMessage : undefined };
}

/** The `_meta` member with which a legacy message names its task. */
export const relatedTask = 'io.modelcontextprotocol/related-task';

/** The result without the id of the server's task, which means nothing to the caller. */
function withoutRelatedTask(result: JsonObject): JsonObject {
  if (!isObject(result._meta) || result._meta[relatedTask] === undefined) return result;
  const { [relatedTask]: _task, ...meta } = exactMember(result, '_meta') as JsonObject;
  return replaceMembers(result, { _meta: Object.keys(meta).length > 0 ? meta : undefined });
}

function resultOf(task: JsonObject): JsonObject {
  const result = memberWithText(task, 'result');
  if (isObject(result)) return result;
  throw new ProtocolError('SERVER_PROTOCOL', 'The server completed the task without a result');
}

/** The error of a task that has no result. A protocol error of the server keeps its code and data. */
function toFailure(task: JsonObject, { status, message }: UpstreamTask): ToolwharfError {
  const error = memberWithText(task, 'error');
  const said = isObject(error) && typeof error.message === 'string' ? error.message : message;
  const text = said ?? (status === 'cancelled' ? 'The server cancelled the task' : 'The task failed on the server');
  const data = isObject(error) ? { reached: true, rpcCode: error.code, rpcData: errorData(error) } : { reached: true };
  return new ProtocolError('SERVER_ERROR', text, { data });
}
