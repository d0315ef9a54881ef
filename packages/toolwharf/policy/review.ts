import type { DataFlow, DataSource } from '../../contract/api/data-flows.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { PluginMode, PolicyAction } from '../../contract/settings/choices.ts';
import type { Caller, ToolAnnotations } from '../kernel/tool.ts';
import type { ApprovalRequest } from './approval.ts';

/** The person on whose behalf a call is made, as the identity provider describes them. */
export interface Person {
  /** The issuer and the subject: the same for all identities of the person. */
  readonly id: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly roles: readonly string[];
}

/** The call or answer that made a call. */
export interface PluginCallParent {
  readonly kind: 'call' | 'answer';
  readonly id: string;
  /** Those of a parent that is a call which runs here. */
  readonly server?: string;
  readonly tool?: string;
}

/** A call of a tool, or a read of a resource or prompt, as plugins see it. */
export interface PluginCall {
  readonly id: string;
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly caller: Caller;
  /** Undefined for a call that a caller made directly. */
  readonly parent?: PluginCallParent;
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
  /** The ids of the calls to whose results the arguments referred. */
  readonly references?: readonly string[];
  /** The earlier calls whose labelled results the arguments contain, as `trace` of plugins found them. */
  readonly sources?: readonly DataSource[];
}

/** A call that plugins review before it runs. Its arguments are those that will be sent, with the values of references. */
export interface ReviewedCall extends PluginCall {
  /** The decision of the configuration and the remembered rules. */
  readonly decision: 'allow' | 'ask';
  /** The tool is a script or a chain, which calls others. */
  readonly isScript: boolean;
  /** Undefined if the gateway does not know the person, and in the library. */
  readonly person?: Person;
  /** The labels of what has entered the conversation, or else reached the caller. */
  readonly contextLabels?: readonly string[];
}

/** A rule of a plugin that decided, or in `shadow` mode would have decided. It is recorded, so it must not name values. */
export interface DecidingRule {
  readonly id: string;
  /** What the rule decides for the call. */
  readonly effect: PolicyAction | 'allow';
  readonly mode: PluginMode;
  /** The rule could not be evaluated, so that its reaction to failures decided. */
  readonly failed?: true;
  /** The rule is a data flow. */
  readonly flow?: true;
}

/** The result of a review: the call needs approval, or is denied. */
export interface Objection {
  readonly kind: 'ask' | 'deny';
  readonly reason: string;
  /** The name of the plugin. */
  readonly by: string;
  /** The ids of the rules that object. */
  readonly rules?: readonly string[];
  /** The data flows that object. */
  readonly flows?: readonly DataFlow[];
  /** Facts of the limit that denies the call, for the caller. */
  readonly limit?: ReachedLimit;
}

/** A limit that a call has reached: its kind as `limit`, and what else the caller can use. The call ends with `LIMIT_REACHED`. */
export interface ReachedLimit {
  readonly limit: string;
  /** When the call could be made, if waiting helps. */
  readonly retryAfterMs?: number;
  readonly [fact: string]: string | number | undefined;
}

/** What plugins found in a review. Without an objection, the decision stays as it is. */
export interface Review extends Trace {
  readonly objection?: Objection;
  readonly labels?: readonly string[];
  readonly rules?: readonly DecidingRule[];
}

/** Where the arguments of a call come from. */
export interface Trace {
  readonly sources?: readonly DataSource[];
  readonly contextLabels?: readonly string[];
}

/** An answer of a person with the scope `flow`. Resolves when the plugins that asked have stored it. */
export type AllowFlow = (request: ApprovalRequest) => Promise<void>;

/** Reviews a call. Rejects with `POLICY_FAILED` if a plugin cannot decide, so that the call does not run. */
export type ReviewCall = (call: ReviewedCall) => Promise<Review>;

/** A call that is about to be dispatched, as plugins see it that reserve what it consumes. */
export interface DispatchableCall extends ReviewedCall {
  /** With the id, it is unique for ever: an id can be used again once the journal no longer has its call. */
  readonly createdAt: string;
  /** The ids of the rules of plugins that the person who allowed the call was told. */
  readonly approvedRules: readonly string[];
}

/** How a call with a reservation ended. */
export interface ReservationEnd {
  /** `unsent`: the call surely never ran. `unknown`: it may have run. */
  readonly outcome: 'ran' | 'unsent' | 'unknown';
  /** What the caller gets. */
  readonly result?: JsonObject;
  /** How long it ran, without the time in which it waited for people. */
  readonly ranMs: number;
}

/** What plugins reserved for a call. With an objection, nothing is reserved. */
export interface Reservation extends Pick<Review, 'objection' | 'rules'> {
  /** Called once, when the call has ended. Never rejects. */
  settle(end: ReservationEnd): Promise<void>;
}

/** Reserves what a call consumes. Rejects with `POLICY_FAILED` if a plugin cannot, so that the call does not run. */
export type ReserveCall = (call: DispatchableCall) => Promise<Reservation>;

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
