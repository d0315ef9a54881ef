import type { ServerRecord } from '../config/server-record.ts';
import { ToolwharfError } from '../kernel/errors.ts';

/** Where servers that were added while running are kept. Their credentials are sealed at rest and clear in memory. */
export interface ServerStore {
  list(): Promise<readonly ServerRecord[]>;
  get(id: string): Promise<ServerRecord | undefined>;
  /** Adds it, or replaces the one of the same id. A name that another one has is refused with `CONFIG_INVALID`. */
  put(record: ServerRecord): Promise<void>;
  /** False when there is none of that id. */
  remove(id: string): Promise<boolean>;
}

/** Two servers of one name could not be told apart. */
export function nameTaken(name: string): ToolwharfError {
  const message = `There is a server named '${name}' already: choose another name`;
  return new ToolwharfError('CONFIG_INVALID', message, { data: { problems: [{ path: 'name', message }] } });
}
