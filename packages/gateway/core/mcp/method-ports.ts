import type { JsonObject } from '../../../contract/json.ts';
import type { WaitForTools } from '../../../toolwharf/kernel/internal-source.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { Traces } from '../calls/traces.ts';
import type { CallTasks } from './call-tasks.ts';
import type { ClientRequest } from './client-request.ts';
import type { LogLevels } from './log-levels.ts';
import type { SerializedCache } from './serialized-cache.ts';
import type { View } from './view.ts';

/** The ports of the methods of both eras. */
export interface MethodPorts {
  readonly log: Log;
  readonly traces: Traces;
  readonly toolbox: InternalToolbox;
  /** Returns the view of the caller's profile. Waits a short time for servers that are still starting. */
  readonly viewFor: (request: Pick<ClientRequest, 'profile'>) => View | Promise<View>;
  /** Waits for the tools of servers that another replica is about to run. */
  readonly waitForTools?: WaitForTools;
  /** Waits for their resources and prompts. */
  readonly waitForContent?: WaitForContent;
  readonly logLevels: LogLevels;
  readonly serialized: SerializedCache;
  readonly tasks: CallTasks;
  /** The methods of features. */
  readonly methods: ReadonlyMap<string, McpMethod>;
}

/** Answers a request for a method. */
export type McpMethod = (request: ClientRequest, ports: MethodPorts) => Promise<JsonObject>;

/**
 * Waits until this replica knows the resources and prompts of the servers for which `isMeant` is true. Rejects with SERVER_UNAVAILABLE
 * if no replica runs such a server. Undefined if they are known.
 */
export type WaitForContent = (isMeant: (server: string) => boolean) => Promise<void> | undefined;
