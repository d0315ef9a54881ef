import { ToolwharfError } from '../../kernel/errors.ts';
import type { JsonSchema } from '../../kernel/json.ts';

/** A script that was saved over the API, and that is exposed as a tool. */
export interface ScriptRecord {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly input?: JsonSchema;
  readonly code: string;
  readonly timeoutMs?: number;
  readonly maxInstances?: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The store of scripts that were saved while running. */
export interface ScriptStore {
  /** Sorted by name. */
  list(): Promise<readonly ScriptRecord[]>;
  get(id: string): Promise<ScriptRecord | undefined>;
  /** Adds the script, or replaces the one with the same id. Rejects a name that is taken with `CONFLICT`. */
  put(record: ScriptRecord): Promise<void>;
  /** Returns false if there is none with this id. */
  remove(id: string): Promise<boolean>;
}

/** Two scripts of one name would be the same tool. */
export function scriptNameTaken(name: string): ToolwharfError {
  return new ToolwharfError('CONFLICT', `There is a tool named '${name}' already: choose another name`, {
    data: { script: name },
  });
}
