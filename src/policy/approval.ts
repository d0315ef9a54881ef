import type { DefinitionChange } from '../catalog/definition-diff.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Caller, ToolAnnotations } from '../kernel/tool.ts';

/** One question to a person about one exact call. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly caller: Caller;
  readonly server?: string;
  /** The name the agent used. */
  readonly tool: string;
  readonly originalName: string;
  readonly description: string;
  readonly annotations?: ToolAnnotations;
  readonly arguments: JsonObject;
  /** The answer holds for these arguments and this definition only. */
  readonly argumentsHash: string;
  readonly definitionHash: string;
  /** Why it is asked. */
  readonly reason: string;
  /** What changed since the definition was accepted, if that is why. */
  readonly change?: readonly DefinitionChange[];
  readonly askedAt: string;
  readonly expiresAt: string;
}

/** How far an answer reaches: this call, calls of this conversation, this tool, or all of its server's tools. */
export type ApprovalScope = 'once' | 'conversation' | 'tool' | 'server';

export type ApprovalAnswer =
  | {
      readonly kind: 'allow';
      readonly scope?: ApprovalScope;
      /** Run with these instead: they are validated again. */
      readonly arguments?: JsonObject;
    }
  | { readonly kind: 'deny'; readonly scope?: ApprovalScope; readonly reason?: string };

/** Whoever can answer. Rejecting, or the signal's end, counts as no. */
export interface Approver {
  /** Gives a question its place before it is told of; the same question that waits already is given back instead. */
  register?(request: ApprovalRequest): Promise<ApprovalRequest>;
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}
