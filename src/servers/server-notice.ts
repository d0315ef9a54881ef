import type { JsonObject } from '../kernel/json.ts';

/** A notification that a server sent. */
export interface ServerNotice {
  readonly server: string;
  readonly method: string;
  readonly params: JsonObject;
  /** The calls under way that it may belong to; one where it is known which. */
  readonly callIds: readonly string[];
}
