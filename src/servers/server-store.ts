import type { ServerRecord } from '../config/server-record.ts';
import { ToolwharfError } from '../kernel/errors.ts';

/** The store of servers that were added while running. Credentials are sealed at rest. */
export interface ServerStore {
  list(): Promise<readonly ServerRecord[]>;
  get(id: string): Promise<ServerRecord | undefined>;
  /** Adds the server, or replaces the one with the same id. Rejects a name that is taken with `CONFIG_INVALID`. */
  put(record: ServerRecord): Promise<void>;
  /** Returns false if there is none with this id. */
  remove(id: string): Promise<boolean>;
}

/** Two servers of one name could not be told apart. */
export function nameTaken(name: string): ToolwharfError {
  const message = `There is a server named '${name}' already: choose another name`;
  return new ToolwharfError('CONFIG_INVALID', message, { data: { problems: [{ path: 'name', message }] } });
}
