import { isObject, type JsonObject } from '../../../../contract/json.ts';
import { tasksExtension } from '../../../../toolwharf/connections/follow-task.ts';
import type { ClientRequest } from '../../../core/mcp/client-request.ts';
import { RpcError, rpcCode } from '../../../core/mcp/rpc.ts';
import { answerTask, findTask } from './find-task.ts';
import { questionsByKey, toDetailedTaskV2 } from './mcp-task.ts';
import type { McpTaskPorts } from './taskable-call.ts';

type Method = (request: ClientRequest, tasks: McpTaskPorts) => Promise<JsonObject>;

const methods = new Map<string, Method>([
  ['tasks/get', get],
  ['tasks/update', update],
  ['tasks/cancel', cancel],
]);

/** True for a method of the tasks extension. */
export function isTaskMethodV2(method: string): boolean {
  return methods.has(method);
}

/** Answers a request about tasks of a client that declares the tasks extension. */
export async function answerTaskV2(request: ClientRequest, tasks: McpTaskPorts): Promise<JsonObject> {
  if (request.tasks !== 'v2') {
    const message = `Missing required client capability: extensions.${tasksExtension}`;
    const data = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } };
    throw new RpcError(rpcCode.missingCapability, message, { data });
  }
  const method = methods.get(request.method);
  if (!method) throw new RpcError(rpcCode.methodNotFound, `Method not found: ${request.method}`, { httpStatus: 404 });
  return method(request, tasks);
}

async function get(request: ClientRequest, tasks: McpTaskPorts): Promise<JsonObject> {
  return toDetailedTaskV2(await (await findTask(request.params.taskId, request, tasks)).read());
}

/** Passes answers to the questions of the task. Answers to other questions are ignored. */
async function update(request: ClientRequest, tasks: McpTaskPorts): Promise<JsonObject> {
  const { taskId, inputResponses } = request.params;
  if (!isObject(inputResponses)) throw new RpcError(rpcCode.invalidParams, 'inputResponses must be an object');
  const found = await findTask(taskId, request, tasks);
  const { questions } = await found.read();
  for (const [key, question] of questionsByKey(questions)) {
    const answer = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
    if (answer === undefined) continue;
    if (!isObject(answer)) throw new RpcError(rpcCode.invalidParams, `inputResponses.${key} must be an object`);
    await answerTask(found, question.id, { result: answer });
  }
  return {};
}

/** A task that has ended is left as it is. */
async function cancel(request: ClientRequest, tasks: McpTaskPorts): Promise<JsonObject> {
  await (await findTask(request.params.taskId, request, tasks)).cancel();
  return {};
}
