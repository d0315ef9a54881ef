import type { InternalToolbox } from '../../toolbox.ts';
import type { Traces } from '../traces/traces.ts';
import type { ClientRequest } from './client-request.ts';
import type { LogLevels } from './log-levels.ts';
import type { SerializedCache } from './serialized-cache.ts';
import type { TaskPorts } from './tasks/taskable-call.ts';
import type { View } from './view.ts';

/** The ports of the methods of both eras. */
export interface MethodPorts {
  readonly traces: Traces;
  readonly toolbox: InternalToolbox;
  /** Returns the view of the caller's profile. Waits a short time for servers that are still starting. */
  readonly viewFor: (request: Pick<ClientRequest, 'profile'>) => View | Promise<View>;
  readonly logLevels: LogLevels;
  readonly serialized: SerializedCache;
  readonly tasks: TaskPorts;
}
