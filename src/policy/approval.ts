import type { DefinitionChange } from '../catalog/definition-diff.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Caller, ToolAnnotations } from '../kernel/tool.ts';

/** A question to a person about one exact call. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly caller: Caller;
  readonly server?: string;
  /** The exposed name. */
  readonly tool: string;
  readonly originalName: string;
  readonly description: string;
  readonly annotations?: ToolAnnotations;
  readonly arguments: JsonObject;
  /** The answer holds for these arguments and this definition only. */
  readonly argumentsHash: string;
  readonly definitionHash: string;
  /** Why the call asks. */
  readonly reason: string;
  /** What changed since the definition was accepted, if that is why. */
  readonly change?: readonly DefinitionChange[];
  readonly askedAt: string;
  readonly expiresAt: string;
}

/** The scope of an answer: this call, this conversation, this tool, or all tools of the server. */
export const approvalScopes = ['once', 'conversation', 'tool', 'server'] as const;

/** How far an answer applies. */
export type ApprovalScope = (typeof approvalScopes)[number];

/** A person's answer to an approval. */
export type ApprovalAnswer =
  | {
      readonly kind: 'allow';
      readonly scope?: ApprovalScope;
      /** Runs the call with these arguments instead, after validating them. */
      readonly arguments?: JsonObject;
    }
  | { readonly kind: 'deny'; readonly scope?: ApprovalScope; readonly reason?: string };

/** The caller's side of a call, as far as its approval is concerned. */
export interface ApprovalHost {
  /** Asks the user of the calling client. The approver asks others at the same time; the first answer counts. */
  askUser?(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** Keeps a pending approval open when the call is cancelled, because the client may repeat the call; false. */
  readonly mayRepeat?: boolean;
}

/** Answers approvals. A rejection or an aborted signal counts as no. */
export interface Approver {
  /** Stores a request before it is announced; returns the stored one when the same question is already pending. */
  register?(request: ApprovalRequest): Promise<ApprovalRequest>;
  ask(request: ApprovalRequest, signal: AbortSignal, host?: ApprovalHost): Promise<ApprovalAnswer>;
}
