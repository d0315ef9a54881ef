import type { CreateTasks } from './call-tasks.ts';
import type { McpMethod } from './method-ports.ts';
import type { ViewParts } from './view-parts.ts';

/** What features add to MCP endpoints, over HTTP and over stdio. */
export interface McpParts extends ViewParts {
  readonly tasks?: CreateTasks;
  /** Methods besides those of the core, by name. */
  readonly methods?: ReadonlyMap<string, McpMethod>;
}
