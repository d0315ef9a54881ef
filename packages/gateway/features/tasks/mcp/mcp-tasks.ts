import type { JsonObject } from '../../../../contract/json.ts';
import type { CallTasks, TaskPorts, WatchedTask } from '../../../core/mcp/call-tasks.ts';
import { createSharedTasks, type FoundTask, type SharedTasks } from '../shared-tasks.ts';
import type { TaskBoard } from '../task-board.ts';
import { findTask } from './find-task.ts';
import { toDetailedTaskV2 } from './mcp-task.ts';
import { answerTaskV1, isTaskMethodV1 } from './task-methods-v1.ts';
import { answerTaskV2, isTaskMethodV2 } from './task-methods-v2.ts';
import { createTaskable, type McpTaskPorts } from './taskable-call.ts';

/** The tasks of MCP clients, with those of all protocols. */
export interface McpTasks extends CallTasks {
  readonly shared: SharedTasks;
}

export interface McpTasksPorts extends TaskPorts {
  readonly board?: TaskBoard;
}

export function createMcpTasks({ broadcast, ...shares }: McpTasksPorts): McpTasks {
  const { toolbox } = shares;
  const shared = createSharedTasks(shares);
  const ports: McpTaskPorts = { toolbox, shared, broadcast };
  return {
    shared,
    isOn: true,
    prepare: (request, callId, client) => createTaskable(request, callId, client, ports),
    hasMethod: (generation, method) => (generation === 'v1' ? isTaskMethodV1(method) : isTaskMethodV2(method)),
    answer: (generation, request) =>
      generation === 'v1' ? answerTaskV1(request, ports) : answerTaskV2(request, ports),
    async find(ids, request) {
      const found = ids.map(async (id) => [id, await findTask(id, request, ports).catch(() => undefined)] as const);
      return new Map(
        (await Promise.all(found)).flatMap(([id, task]) => (task ? [[id, toWatched(task)] as const] : [])),
      );
    },
  };
}

function toWatched(task: FoundTask): WatchedTask {
  return { watch: (left) => watchStatus(task, left) };
}

/** The task now, and whenever its status changes. */
async function* watchStatus(task: FoundTask, left: AbortSignal): AsyncGenerator<JsonObject, void, undefined> {
  let before: string | undefined;
  for await (const view of task.watch(left)) {
    const { lastUpdatedAt: _time, ...status } = toDetailedTaskV2(view);
    const now = JSON.stringify(status);
    if (now !== before) yield toDetailedTaskV2(view);
    before = now;
  }
}
