import type { Feature } from '../../core/feature.ts';
import { createMcpTasks, type McpTasks } from './mcp/mcp-tasks.ts';
import type { SharedTasks } from './shared-tasks.ts';

/** Calls as tasks, which clients follow and answer later. */
export const tasks: Feature<SharedTasks> = {
  name: 'tasks',
  mcp: { tasks: createMcpTasks },
  open: ({ mcp }) => ({ ports: (mcp.tasks as McpTasks).shared }),
};
