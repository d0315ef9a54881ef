import type { ListTasksRequest, ListTasksResponse, Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';

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

/** Orders tasks by the time of their latest state. The key is also the page token. */
function sortKeyOf({ status, id }: Task): string {
  return `${status?.timestamp ?? ''} ${id}`;
}
