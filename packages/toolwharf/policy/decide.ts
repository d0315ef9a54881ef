import { isObject, type JsonObject, type JsonSchema } from '../../contract/json.ts';
import type { ChangeReaction } from '../../contract/settings/choices.ts';
import type { ApprovalConfig } from '../../contract/settings/config.ts';
import type { NamingScope } from '../catalog/catalog.ts';
import { parseLocalReference, valueAt } from '../kernel/json-pointer.ts';
import type { Caller, ToolAnnotations } from '../kernel/tool.ts';
import { audienceOf, isForCaller, matchesArguments, type RememberedRule, type RuleStore } from './remembered-rules.ts';
import { type PatternTarget, restricts, trusts } from './tool-patterns.ts';

export type Decision =
  | {
      readonly kind: 'allow';
      readonly because: string;
      /** The id of the remembered rule that allowed the call. */
      readonly rule?: string;
    }
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
  readonly definition?: { readonly inputSchema: JsonSchema };
  /** Set if the definition is not the accepted one: the call is denied until it is accepted, or asks. */
  readonly changed?: ChangeReaction;
}

export interface DecisionInput {
  readonly tool: DecidedTool;
  readonly approval: ApprovalConfig;
  readonly remembered: readonly RememberedRule[];
  readonly caller: Caller;
  /** The arguments of the call as they will be sent; rules with argument patterns do not hold without them. */
  readonly args?: JsonObject;
  /** The names of arguments that cannot be compared with patterns, such as secrets. */
  readonly hidden?: ReadonlySet<string>;
  /** Whether the server gets members of the request that are no arguments. */
  readonly hasExtraParams?: boolean;
}

/**
 * Decides whether a call may run. Pure: deny beats ask beats a rule beats the mode, and a rule that denies is a deny.
 * Annotations of an untrusted server never change the decision.
 */
export function decide(input: DecisionInput): Decision {
  return refusal(input) ?? question(input) ?? rememberedAllow(input) ?? byMode(input);
}

/** Decides with the rules of a store. Before a person is asked, answers that another replica has just remembered are read. */
export function decideByStore(
  input: Omit<DecisionInput, 'remembered'>,
  rules: RuleStore,
): Decision | Promise<Decision> {
  const remembered = rules.listNow ? undefined : rules.current?.();
  return remembered ? decide({ ...input, remembered }) : decideByReading(input, rules);
}

async function decideByReading(input: Omit<DecisionInput, 'remembered'>, rules: RuleStore): Promise<Decision> {
  const decision = decide({ ...input, remembered: await rules.list() });
  if (decision.kind !== 'ask' || !rules.listNow) return decision;
  return decide({ ...input, remembered: await rules.listNow() });
}

function refusal(input: DecisionInput): Decision | undefined {
  const { tool, approval, remembered } = input;
  if (restricts(approval.deny, tool)) return { kind: 'deny', reason: `${tool.name} is on the deny list` };
  const rule = remembered.find((candidate) => candidate.answer === 'deny' && holds(candidate, input));
  if (rule) return { kind: 'deny', reason: `a remembered answer denies ${reach(rule)} (rule ${rule.id})` };
  if (tool.changed !== 'quarantine') return undefined;
  return {
    kind: 'deny',
    reason: `the definition of ${tool.name} changed since it was accepted; it stays unusable until a person accepts the change`,
  };
}

function question(input: DecisionInput): Decision | undefined {
  const { tool, approval, remembered } = input;
  if (restricts(approval.ask, tool))
    return { kind: 'ask', reason: `${tool.name} is on the list of tools to ask about`, rule: 'ask-list' };
  if (tool.changed !== 'ask') return undefined;
  // A rule for exactly this definition was made after the change; a rule for the whole server may be older.
  if (remembered.some((rule) => rule.scope !== 'server' && allows(rule, input))) return undefined;
  return {
    kind: 'ask',
    reason: `the definition of ${tool.name} changed since it was accepted`,
    rule: 'changed-definition',
  };
}

function rememberedAllow(input: DecisionInput): Decision | undefined {
  const rule = input.remembered.find((candidate) => allows(candidate, input));
  return (
    rule && { kind: 'allow', because: `a remembered answer allows ${reach(rule)} (rule ${rule.id})`, rule: rule.id }
  );
}

function byMode({ tool, approval }: DecisionInput): Decision {
  if (approval.mode === 'auto') return { kind: 'allow', because: 'the approval mode is auto' };
  if (approval.mode === 'always-ask')
    return { kind: 'ask', reason: 'the approval mode is always-ask', rule: 'always-ask' };
  if (trusts(approval.trustedTools, tool, tool.scope))
    return { kind: 'allow', because: `${tool.name} is a trusted tool` };
  if (tool.serverTrusted && tool.annotations?.readOnlyHint === true)
    return { kind: 'allow', because: `a trusted server declares ${tool.name} read-only` };
  return { kind: 'ask', reason: `${tool.name} is not a trusted tool`, rule: 'trusted-only' };
}

/** An allow rule is bound to what the person saw: the server's address and, unless it is for the whole server, the definition. */
function allows(rule: RememberedRule, input: DecisionInput): boolean {
  if (rule.answer !== 'allow' || !holds(rule, input)) return false;
  return rule.scope === 'server' || rule.definitionHash === input.tool.definitionHash;
}

/** Whether a rule is about this tool, caller and arguments. A denial ignores the definition, so that a server cannot escape it by rewording its tool. */
function holds(rule: RememberedRule, { tool, caller, ...facts }: DecisionInput): boolean {
  if (rule.serverAddress !== tool.serverAddress) return false;
  if (rule.scope !== 'server' && rule.tool !== tool.originalName) return false;
  const { args, hidden, hasExtraParams } = facts;
  const { answer, matching } = rule;
  const defaultsOf = (name: string) => defaultsIn(tool.definition?.inputSchema, name);
  return isForCaller(rule, caller) && matchesArguments(matching, args, { answer, hidden, hasExtraParams, defaultsOf });
}

/** The defaults of an argument: what a server is likely to use if the argument is missing. */
function defaultsIn(root: JsonSchema | undefined, name: string): readonly unknown[] {
  const defaults: unknown[] = [];
  for (const { properties, default: all } of withCombined(root, [root])) {
    if (isObject(all) && Object.hasOwn(all, name)) defaults.push(all[name]);
    if (isObject(properties) && Object.hasOwn(properties, name))
      for (const schema of withCombined(root, [properties[name]])) defaults.push(schema.default);
  }
  return defaults.filter((value) => value !== undefined && value !== null);
}

const maxCombined = 100;

/** Schemas with those that they refer to or combine. */
function withCombined(root: JsonSchema | undefined, schemas: readonly unknown[]): ReadonlySet<JsonObject> {
  const combined = new Set<JsonObject>();
  const open = [...schemas];
  while (open.length > 0 && combined.size < maxCombined) {
    const schema = open.pop();
    if (!isObject(schema) || combined.has(schema)) continue;
    combined.add(schema);
    const { $ref } = schema;
    const local = typeof $ref === 'string' ? parseLocalReference($ref) : undefined;
    if (local) open.push(valueAt(root, local));
    const { allOf, anyOf, oneOf, dependentSchemas } = schema;
    for (const parts of [allOf, anyOf, oneOf]) if (Array.isArray(parts)) open.push(...parts);
    open.push(
      schema.if,
      schema.then,
      schema.else,
      ...(isObject(dependentSchemas) ? Object.values(dependentSchemas) : []),
    );
  }
  return combined;
}

function reach(rule: RememberedRule): string {
  const target = rule.scope === 'server' ? 'every tool of this server' : 'this tool';
  const audience = audienceOf(rule);
  if (audience === 'everyone') return target;
  return `${target} ${audience === 'conversation' ? 'in this conversation' : 'for this caller'}`;
}
