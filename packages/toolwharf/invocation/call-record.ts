import type { DataSource } from '../../contract/api/data-flows.ts';
import type { CallEnd, CallStatus, RecordKind } from '../../contract/calls.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UpstreamTask } from '../connections/follow-task.ts';
import type { Caller, Truncation } from '../kernel/tool.ts';
import type { Detection } from '../policy/redaction.ts';
import type { DecidingRule } from '../policy/review.ts';

/** The parent of a nested call: another call (a chain or composed tool), or an assistant's answer. */
export interface CallParent {
  readonly kind: 'call' | 'answer';
  readonly id: string;
}

export type ContentKind = Exclude<RecordKind, 'search' | 'administration'>;

/** The `tool` of records of administration; `originalName` is the operation. */
export const administrationTool = 'administration';

/** The record of one call. Every change is written to the journal and published. */
export interface CallRecord {
  readonly id: string;
  /** Undefined for the call of a tool. */
  readonly kind?: RecordKind;
  /** Undefined for a local tool. */
  readonly server?: string;
  readonly tool: string;
  readonly originalName: string;
  readonly caller: Caller;
  /** The replica that received the call; undefined if there can be no other. */
  readonly replica?: string;
  /** The replica that ran the call, if another one received it. */
  readonly ranOn?: string;
  /** Undefined for a call that a caller made directly. */
  readonly parent?: CallParent;
  readonly arguments: JsonObject;
  /** Members of the client's request that the protocol does not define. They are sent to the server. */
  readonly extraParams?: JsonObject;
  readonly definitionHash: string;
  readonly status: CallStatus;
  readonly end?: CallEnd;
  readonly createdAt: string;
  /** When the call was sent to its server. */
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly result?: JsonObject;
  /** Set if `result` is truncated. */
  readonly truncated?: Truncation;
  /** True if the call had a result that is too large for the journal. */
  readonly resultOmitted?: boolean;
  /** True in a list if the record is large: `arguments` are shortened and `result` is left out. */
  readonly isPreview?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
  readonly idempotencyKey?: string;
  /** The id of the remembered rule that allowed the call without asking. */
  readonly rule?: string;
  /** The account of the caller that the call used, at a server with per-user credentials. */
  readonly account?: RecordedAccount;
  /** The names of the plugins that changed the arguments or the result. */
  readonly changedBy?: { readonly arguments?: readonly string[]; readonly result?: readonly string[] };
  /** The profile through which the call was made, in the gateway. */
  readonly profile?: string;
  /** The rules of plugins that decided, or would have decided. */
  readonly policy?: readonly DecidingRule[];
  /** What plugins detected in the arguments and the result: the receipt of redaction, without values. */
  readonly redaction?: readonly Detection[];
  /** The labels that plugins gave the call. */
  readonly labels?: readonly string[];
  /** The labels that the conversation had before the call. */
  readonly contextLabels?: readonly string[];
  /** The earlier calls whose labelled results the arguments contain. */
  readonly sources?: readonly DataSource[];
  /** Set if the call is a task of A2A or MCP. */
  readonly task?: CallTask;
  /** The task in which the server runs the call. */
  readonly upstreamTask?: UpstreamTask;
  /** Set while the call waits for an approval and another replica can continue it. */
  readonly awaiting?: AwaitedApproval;
  /** The approval that a person answered for this call. */
  readonly approval?: RecordedApproval;
  /** Set if the call is a script that another process can continue. */
  readonly script?: RecordedScript;
  /** Set if a script made the call. */
  readonly step?: CallStep;
}

/** The account that a call used: its id and its owner's name for it. */
export interface RecordedAccount {
  readonly id: string;
  readonly label: string;
}

/** The data with which another process continues a script. */
export interface RecordedScript {
  /** The profile whose policy applies. Undefined for the script of an assistant, which its answer continues. */
  readonly profile?: string;
  /** The caller's name for the tool. */
  readonly calledAs: string;
  /** How often another process has continued it. */
  readonly continued?: number;
}

/** The position of a call in the script that made it. */
export interface CallStep {
  /** 1 for the first call of the script. */
  readonly number: number;
  /** Hash of the tool and the arguments as the script gave them. */
  readonly hash: string;
  /** The calls whose outcomes the script knew when it made this one, in the order in which it learnt them: `1-4,6,5`. */
  readonly known: string;
}

/** The properties that a task has besides its call: over A2A, or over MCP. */
export type CallTask = A2aCallTask | McpCallTask;

export interface A2aCallTask {
  readonly contextId: string;
  /** The id of the message that started it. */
  readonly messageId: string;
  /** The caller's name for the tool. */
  readonly skill: string;
}

export interface McpCallTask {
  /** The profile through which the caller can find the task. */
  readonly profile: string;
  /** How long the caller can find the task, from the time of its call. */
  readonly ttlMs: number;
}

/** The data with which another replica continues a call that waits for approval. */
export interface AwaitedApproval {
  /** The id of the approval. */
  readonly approval: string;
  /** The profile whose policy applies. */
  readonly profile: string;
  /** The caller's name for the tool. */
  readonly calledAs: string;
}

/** The person who approved or denied a call. */
export interface RecordedApproval {
  readonly id: string;
  readonly answer: 'allow' | 'deny';
  /** The name or id of the person; undefined if the approver does not say. */
  readonly by?: string;
  /** The arguments that the caller sent, if the approver changed them. */
  readonly originalArguments?: JsonObject;
}
