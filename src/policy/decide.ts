import type { NamingScope } from '../catalog/catalog.ts';
import type { ApprovalConfig } from '../config/config.ts';
import type { Caller, ToolAnnotations } from '../kernel/tool.ts';
import type { RememberedRule } from './remembered-rules.ts';
import { type PatternTarget, restricts, trusts } from './tool-patterns.ts';

export type Decision =
  | { readonly kind: 'allow'; readonly because: string }
  | { readonly kind: 'ask'; readonly reason: string; readonly rule: AskRule }
  | { readonly kind: 'deny'; readonly reason: string };

/** Why a call asks: a pattern under `ask`, a changed definition, or the mode. */
export type AskRule = 'ask-list' | 'changed-definition' | 'always-ask' | 'trusted-only';

/** The facts about a tool that a decision depends on. */
export interface DecidedTool extends PatternTarget {
  readonly scope: NamingScope;
  /** Undefined for a local tool. */
  readonly serverAddress?: string;
  readonly serverTrusted: boolean;
  readonly annotations?: ToolAnnotations;
  readonly definitionHash: string;
  /** Set if the definition is not the accepted one: the call is denied until it is accepted, or asks. */
  readonly changed?: 'quarantine' | 'ask';
}

export interface DecisionInput {
  readonly tool: DecidedTool;
  readonly approval: ApprovalConfig;
  readonly remembered: readonly RememberedRule[];
  readonly caller: Caller;
}

/**
 * Decides whether a call may run. Pure: deny beats ask beats a rule beats the mode, and a rule that denies is a deny.
 * Annotations of an untrusted server never change the decision.
 */
export function decide(input: DecisionInput): Decision {
  return refusal(input) ?? question(input) ?? rememberedAllow(input) ?? byMode(input);
}

function refusal({ tool, approval, remembered, caller }: DecisionInput): Decision | undefined {
  if (restricts(approval.deny, tool)) return { kind: 'deny', reason: `${tool.name} is on the deny list` };
  const rule = remembered.find((candidate) => candidate.answer === 'deny' && denies(candidate, tool, caller));
  if (rule) return { kind: 'deny', reason: `a remembered answer denies ${reach(rule)} (rule ${rule.id})` };
  if (tool.changed !== 'quarantine') return undefined;
  return {
    kind: 'deny',
    reason: `the definition of ${tool.name} changed since it was accepted; it stays unusable until a person accepts the change`,
  };
}

function question(input: DecisionInput): Decision | undefined {
  const { tool, approval, remembered, caller } = input;
  if (restricts(approval.ask, tool))
    return { kind: 'ask', reason: `${tool.name} is on the list of tools to ask about`, rule: 'ask-list' };
  if (tool.changed !== 'ask') return undefined;
  // Who allowed exactly this definition has seen the change; who allowed the whole server has not.
  if (remembered.some((rule) => rule.scope !== 'server' && allows(rule, tool, caller))) return undefined;
  return {
    kind: 'ask',
    reason: `the definition of ${tool.name} changed since it was accepted`,
    rule: 'changed-definition',
  };
}

function rememberedAllow({ tool, remembered, caller }: DecisionInput): Decision | undefined {
  const rule = remembered.find((candidate) => allows(candidate, tool, caller));
  return rule && { kind: 'allow', because: `a remembered answer allows ${reach(rule)} (rule ${rule.id})` };
}

function byMode({ tool, approval }: DecisionInput): Decision {
  if (approval.mode === 'auto') return { kind: 'allow', because: 'approval mode is auto' };
  if (approval.mode === 'always-ask') return { kind: 'ask', reason: 'approval mode is always-ask', rule: 'always-ask' };
  if (trusts(approval.trustedTools, tool, tool.scope))
    return { kind: 'allow', because: `${tool.name} is a trusted tool` };
  if (tool.serverTrusted && tool.annotations?.readOnlyHint === true)
    return { kind: 'allow', because: `${tool.name} only reads, says a trusted server` };
  return { kind: 'ask', reason: `${tool.name} is not a trusted tool`, rule: 'trusted-only' };
}

/** An allow rule is bound to what the person saw: the server's address and, unless it is for the whole server, the definition. */
function allows(rule: RememberedRule, tool: DecidedTool, caller: Caller): boolean {
  if (rule.answer !== 'allow' || rule.serverAddress !== tool.serverAddress) return false;
  if (rule.scope === 'server') return true;
  if (rule.tool !== tool.originalName || rule.definitionHash !== tool.definitionHash) return false;
  return rule.scope === 'tool' || isSameConversation(rule, caller);
}

/** A deny rule also holds for new definitions: a server must not escape it by rewording its tool. */
function denies(rule: RememberedRule, tool: DecidedTool, caller: Caller): boolean {
  if (rule.serverAddress !== tool.serverAddress) return false;
  if (rule.scope === 'server') return true;
  if (rule.tool !== tool.originalName) return false;
  return rule.scope === 'tool' || isSameConversation(rule, caller);
}

function isSameConversation(rule: RememberedRule, caller: Caller): boolean {
  return rule.conversation !== undefined && rule.conversation === caller.conversation;
}

function reach(rule: RememberedRule): string {
  if (rule.scope === 'server') return 'every tool of this server';
  return rule.scope === 'tool' ? 'this tool' : 'this tool in this conversation';
}
