import { ToolwharfError } from '../../../../contract/errors.ts';
import type { ClientRequest } from '../../../core/mcp/client-request.ts';
import { RpcError, rpcCode, textOf } from '../../../core/mcp/rpc.ts';
import type { FoundTask } from '../shared-tasks.ts';
import type { TaskView } from '../task-view.ts';
import type { McpTaskPorts } from './taskable-call.ts';

type Owner = Pick<ClientRequest, 'caller' | 'profile'>;

/** Finds a task of the caller in its profile. Throws an `RpcError` if there is none, or its time is over. */
export async function findTask(taskId: unknown, owner: Owner, tasks: Pick<McpTaskPorts, 'shared'>): Promise<FoundTask> {
  const found = typeof taskId === 'string' ? await tasks.shared.find(owner.caller.id, taskId) : undefined;
  if (found && isVisible(await found.read(), owner)) return found;
  throw new RpcError(rpcCode.invalidParams, `There is no task '${textOf(taskId)}': it is not yours, or it has expired`);
}

/** True for a task that a client of this profile started over MCP, and whose time is not over. */
export function isVisible({ task, createdAt }: TaskView, { profile }: Owner): boolean {
  if (!task || !('ttlMs' in task) || task.profile !== profile.name) return false;
  return Date.now() <= Date.parse(createdAt) + task.ttlMs;
}

/** Answers a question of a task. Another replica may have lost the question by now. */
export async function answerTask(found: FoundTask, ...answer: Parameters<FoundTask['answer']>): Promise<void> {
  await found.answer(...answer).catch((cause) => {
    if (!(cause instanceof ToolwharfError) || cause.code !== 'GONE') throw cause;
  });
}
