import type { JsonObject } from '../../contract/json.ts';
import type { Caller, ToolAnnotations } from '../kernel/tool.ts';

/** A call of a tool, or a read of a resource or prompt, as plugins see it. */
export interface PluginCall {
  readonly id: string;
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly caller: Caller;
  /** The name of the caller's profile, in the gateway. */
  readonly profile?: string;
  /** Undefined for a local tool. */
  readonly server?: string;
  /** The exposed name; `resources/read` or `prompts/get` for a read. */
  readonly tool: string;
  readonly originalName: string;
  /** Claims of the server, unless it is trusted. */
  readonly annotations?: ToolAnnotations;
  readonly serverTrusted: boolean;
  readonly arguments: JsonObject;
  /** The labels that plugins have given the call until now. */
  readonly labels?: readonly string[];
}

/** A call that plugins review before it runs. Its arguments are those that will be sent, with the values of references. */
export interface ReviewedCall extends PluginCall {
  /** The decision of the configuration and the remembered rules. */
  readonly decision: 'allow' | 'ask';
}

/** The result of a review: the call needs approval, or is denied. */
export interface Objection {
  readonly kind: 'ask' | 'deny';
  readonly reason: string;
  /** The name of the plugin. */
  readonly by: string;
}

/** What plugins found in a review. Without an objection, the decision stays as it is. */
export interface Review {
  readonly objection?: Objection;
  readonly labels?: readonly string[];
}

/** Reviews a call. Rejects with `POLICY_FAILED` if a plugin cannot decide, so that the call does not run. */
export type ReviewCall = (call: ReviewedCall) => Promise<Review>;

/** A value after the plugins: the same object unless they changed it, the names of those that did, and their labels. */
export interface Changed {
  readonly value: JsonObject;
  readonly by?: readonly string[];
  readonly labels?: readonly string[];
}

/** Changes the arguments of a call, before they are prepared. Rejects with `POLICY_FAILED`, so that the call does not run. */
export type ChangeArguments = (call: PluginCall) => Promise<Changed>;

/** Changes the result of a call. Rejects with `RESULT_BLOCKED` if the caller must not get it. */
export type ChangeResult = (call: PluginCall, result: JsonObject) => Promise<Changed>;
