import type { JsonObject } from '../../../../contract/json.ts';
import type { CallQuestion } from '../../../../toolwharf/invocation/open-questions.ts';
import { toAbortSignal } from '../../../../toolwharf/kernel/abort-source.ts';
import type { ClientRequest } from '../../../core/mcp/client-request.ts';
import { toLegacyOutput } from '../../../core/mcp/lists/legacy-output.ts';
import { RpcError, rpcCode, textOf, toRpcError } from '../../../core/mcp/rpc.ts';
import type { FoundTask } from '../shared-tasks.ts';
import type { TaskView } from '../task-view.ts';
import { answerTask, findTask, isVisible } from './find-task.ts';
import { questionsByKey, toResultV1, toTaskV1, withRelatedTask } from './mcp-task.ts';
import type { McpTaskPorts } from './taskable-call.ts';

type Method = (request: ClientRequest, ports: McpTaskPorts) => Promise<JsonObject>;

const methods = new Map<string, Method>([
  ['tasks/get', get],
  ['tasks/result', result],
  ['tasks/cancel', cancel],
  ['tasks/list', list],
]);

/** True for a method of tasks in revision 2025-11-25. */
export function isTaskMethodV1(method: string): boolean {
  return methods.has(method);
}

/** Answers a request about tasks of a client of revision 2025-11-25. */
export function answerTaskV1(request: ClientRequest, ports: McpTaskPorts): Promise<JsonObject> {
  const method = methods.get(request.method);
  if (!method) throw new RpcError(rpcCode.methodNotFound, `Method not found: ${request.method}`);
  return method(request, ports);
}

async function get(request: ClientRequest, tasks: McpTaskPorts): Promise<JsonObject> {
  return toTaskV1(await (await findTask(request.params.taskId, request, tasks)).read());
}

/** Waits for the end of the task. Meanwhile the client is asked the task's questions. */
async function result(request: ClientRequest, tasks: McpTaskPorts): Promise<JsonObject> {
  const found = await findTask(request.params.taskId, request, tasks);
  const asked = new Set<string>();
  let last: TaskView | undefined;
  for await (const view of found.watch(toAbortSignal(request.signal))) {
    last = view;
    for (const question of questionsByKey(view.questions).values()) {
      if (asked.has(question.id)) continue;
      asked.add(question.id);
      void ask(question, view.id, found, request);
    }
  }
  request.signal.throwIfAborted();
  if (!last?.result) throw new RpcError(rpcCode.internal, 'The task was lost: get it again');
  return toLegacyOutput(toResultV1(last), tasks.toolbox.catalog.find(last.tool)?.definition.outputSchema);
}

async function ask(question: CallQuestion, taskId: string, found: FoundTask, request: ClientRequest): Promise<void> {
  const { id, method, params, key } = question;
  try {
    const answer = await request.ask(method, withRelatedTask(params, taskId), toAbortSignal(request.signal), key);
    await answerTask(found, id, { result: answer });
  } catch (cause) {
    // The client can still answer in its next request for the result.
    if (request.signal.aborted) return;
    const { code, message } = toRpcError(cause);
    await answerTask(found, id, { error: { code, message } }).catch(() => {});
  }
}

async function cancel(request: ClientRequest, tasks: McpTaskPorts): Promise<JsonObject> {
  const found = await findTask(request.params.taskId, request, tasks);
  if ((await found.read()).result)
    throw new RpcError(rpcCode.invalidParams, 'The task has ended: it cannot be cancelled');
  return toTaskV1(await found.cancel());
}

const pageSize = 50;

/** Lists the tasks of the caller, newest first. */
async function list(request: ClientRequest, tasks: McpTaskPorts): Promise<JsonObject> {
  const { cursor } = request.params;
  const all = (await tasks.shared.list(request.caller.id))
    .filter((view) => isVisible(view, request))
    .sort((one, other) => (orderOf(one) < orderOf(other) ? 1 : -1));
  const rest = cursor === undefined ? all : all.filter((view) => orderOf(view) < textOf(cursor));
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  return { tasks: page.map(toTaskV1), ...(last && rest.length > page.length && { nextCursor: orderOf(last) }) };
}

function orderOf({ createdAt, id }: TaskView): string {
  return `${createdAt} ${id}`;
}
