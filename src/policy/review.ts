import type { JsonObject } from '../kernel/json.ts';
import type { Caller, ToolAnnotations } from '../kernel/tool.ts';

/** A call of a tool, or a read of a resource or prompt, that plugins review before it runs. */
export interface ReviewedCall {
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
  /** The validated arguments, with the values of references. */
  readonly arguments: JsonObject;
  /** The decision of the configuration and the remembered rules. */
  readonly decision: 'allow' | 'ask';
}

/** The result of a review: the call needs approval, or is denied. Undefined leaves the decision as it is. */
export interface Objection {
  readonly kind: 'ask' | 'deny';
  readonly reason: string;
  /** The name of the plugin. */
  readonly by: string;
}

/** Reviews a call. Rejects with `POLICY_FAILED` if a policy cannot decide, so that the call does not run. */
export type ReviewCall = (call: ReviewedCall) => Promise<Objection | undefined>;
