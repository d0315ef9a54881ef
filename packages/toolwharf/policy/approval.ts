import type { DataFlow } from '../../contract/api/data-flows.ts';
import type { ApprovalScope, RuleAudience } from '../../contract/approvals.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { ApproverGroup } from '../../contract/settings/choices.ts';
import type { DefinitionChange } from '../catalog/definition-diff.ts';
import type { Caller, ToolAnnotations } from '../kernel/tool.ts';
import type { ArgumentPatterns } from './remembered-rules.ts';

/** A question to a person about one exact call. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  /** The script that makes the call: the id of the script's call, and the number of this step. */
  readonly script?: { readonly call: string; readonly step: number };
  readonly caller: Caller;
  readonly server?: string;
  /** The exposed name. */
  readonly tool: string;
  readonly originalName: string;
  readonly description: string;
  readonly annotations?: ToolAnnotations;
  readonly arguments: JsonObject;
  /** The answer holds for these arguments, this definition and this server only; also for members that `reason` names. */
  readonly argumentsHash: string;
  readonly definitionHash: string;
  /** Hash of the server's address: an answer for one call does not hold for a server that has moved. Undefined for a local tool. */
  readonly serverHash?: string;
  /** Why the call asks. */
  readonly reason: string;
  /** The name of the plugin whose policy requires the approval. */
  readonly policy?: string;
  /** The ids of the rules of that plugin which require it. */
  readonly policyRules?: readonly string[];
  /** The data flows that require the approval. An answer with the scope `flow` allows them for the rest of the conversation. */
  readonly flows?: readonly DataFlow[];
  /** What the server wants while it runs the call, such as a host. The answer is about that, and not about the call. */
  readonly access?: string;
  /** The changes since the definition was accepted, if they are the reason for the approval. */
  readonly change?: readonly DefinitionChange[];
  /** Who may answer; `admins` if undefined. */
  readonly approvers?: ApproverGroup;
  readonly askedAt: string;
  readonly expiresAt: string;
}

/** How far an answer reaches, and who gave it. */
export interface AnswerReach {
  /** `once` by default. */
  readonly scope?: ApprovalScope;
  /** Which callers a remembered answer is for; `caller`, that is the assistant or key that made the call, by default. */
  readonly audience?: RuleAudience;
  /** A remembered answer holds only for calls whose arguments match. */
  readonly matching?: ArgumentPatterns;
  /** The name of the person who answered. */
  readonly by?: string;
}

/** A person's answer to an approval. */
export type ApprovalAnswer =
  | (AnswerReach & {
      readonly kind: 'allow';
      /** Runs the call with these arguments instead, after validating them. */
      readonly arguments?: JsonObject;
    })
  | (AnswerReach & { readonly kind: 'deny'; readonly reason?: string });

/** The caller's side of a call, as far as its approval is concerned. */
export interface ApprovalHost {
  /** Asks the person at this program's own terminal. The approver asks others at the same time; the first answer counts. */
  askUser?(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** Asks the user of the calling client. `askClient` restricts when that happens and what the answer can do. */
  askClient?(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** Keeps a pending approval open when the call is cancelled, because the client may repeat the call; false. */
  readonly mayRepeat?: boolean;
  /** The call continues one of a lost replica: a call that the client repeated uses the answer first; false. */
  readonly isResumed?: boolean;
}

/**
 * Asks the user of the client that made the call, where the policy has `approvers: client`. The answer applies to this call
 * only, and callers are never asked about a changed definition. Undefined if the client's user may not be asked.
 */
export function askClient(
  host: ApprovalHost | undefined,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer> | undefined {
  if (!host?.askClient || !mayAnswerOwnCall(request)) return undefined;
  return host
    .askClient(request, signal)
    .then((answer) => (answer.kind === 'allow' ? { kind: 'allow' } : { kind: 'deny', reason: answer.reason }));
}

/** Whether a caller may answer for its own call. */
export function mayAnswerOwnCall({ approvers, change }: ApprovalRequest): boolean {
  return approvers === 'client' && change === undefined;
}

/** Answers approvals. If it rejects, the call ends with `APPROVAL_FAILED` and is not sent. */
export interface Approver {
  /** Stores a request before it is announced; returns the stored one when the same question is already pending. */
  register?(request: ApprovalRequest): Promise<ApprovalRequest>;
  ask(request: ApprovalRequest, signal: AbortSignal, host?: ApprovalHost): Promise<ApprovalAnswer>;
  /** Stores the answer of a plugin, with which `ask` resolves unless it has an answer already. */
  answer?(id: string, answer: ApprovalAnswer, by: string): Promise<unknown>;
}

/** An approver that is one function, as those of plugins are. */
export type ApproverFunction = (
  request: ApprovalRequest,
  context: { readonly signal: AbortSignal },
) => ApprovalAnswer | Promise<ApprovalAnswer>;

/**
 * Approvers of plugins, which are asked beside the approver. Resolves with the first answer, and with undefined if they leave
 * the approval to others. Never rejects.
 */
export type AskPlugins = (request: ApprovalRequest, signal: AbortSignal) => Promise<PluginApproval | undefined>;

/** The answer of a plugin to one approval, and its name for the journal. */
export interface PluginApproval {
  readonly answer: { readonly kind: 'allow' } | { readonly kind: 'deny'; readonly reason?: string };
  readonly by: string;
}

/**
 * Asks the approvers of plugins and the approver, of which the first answer counts. Without an approver, a call that the plugins
 * do not answer is denied.
 */
export function withPluginApprovers(approver: Approver | undefined, askPlugins: AskPlugins): Approver {
  return {
    register: approver?.register?.bind(approver),
    async ask(request, signal, host) {
      const ended = new AbortController();
      const both = AbortSignal.any([signal, ended.signal]);
      const ofPlugins = askPlugins(request, both);
      try {
        if (!approver) {
          const given = await ofPlugins;
          return given ? toAnswer(given) : { kind: 'deny', reason: 'no plugin answered, and no approver is available' };
        }
        const asked = approver.ask(request, approver.answer ? signal : both, host);
        const answered = ofPlugins.then(async (given) => {
          if (given && !approver.answer) return toAnswer(given);
          // Others can still answer if the answer cannot be stored.
          if (given) await approver.answer?.(request.id, given.answer, given.by).catch(() => {});
          return asked;
        });
        return await Promise.race([asked, answered]);
      } finally {
        ended.abort();
      }
    },
  };
}

const toAnswer = ({ answer, by }: PluginApproval): ApprovalAnswer => ({ ...answer, by });
