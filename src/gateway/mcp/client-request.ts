import type { ProfileConfig } from '../../config/config.ts';
import type { Era } from '../../connections/status.ts';
import type { InternalStartOptions } from '../../invocation/invoker.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Caller } from '../../kernel/tool.ts';

/** One request of a client, whatever era and transport it came by. */
export interface ClientRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly era: Era;
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  /** The policy at a later time, for a call that has waited. Rejects when the caller has lost its access. */
  readonly refreshPolicy: InternalStartOptions['refreshPolicy'];
  /** What the client says it can do. */
  readonly capabilities: JsonObject;
  /** The log messages it wants to hear; undefined for one that did not say. */
  readonly logLevel: string | undefined;
  /** Ends when the client cancels or goes away. */
  readonly signal: AbortSignal;
  /** Sends the client something that belongs to this request. */
  notify(method: string, params: JsonObject): void;
  /** Puts a question to the client, under the name its server gave it if any. Rejects where it can't be asked. */
  ask(method: string, params: JsonObject, signal: AbortSignal, key?: string): Promise<JsonObject>;
}
