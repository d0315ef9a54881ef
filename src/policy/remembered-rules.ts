import { createMatcher } from '../catalog/match-globs.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Caller } from '../kernel/tool.ts';

/** Which callers a rule is for: one conversation, one caller (an assistant or a key), or everyone. */
export const ruleAudiences = ['conversation', 'caller', 'everyone'] as const;
export type RuleAudience = (typeof ruleAudiences)[number];

/** Globs over the text of top-level arguments, by argument name. */
export type ArgumentPatterns = Readonly<Record<string, string>>;

/** A remembered approval. It is bound to the server's address and, if it is for one tool, to the tool's definition. */
export interface RememberedRule {
  readonly id: string;
  /** `conversation` is one tool in one conversation. */
  readonly scope: 'conversation' | 'tool' | 'server';
  readonly answer: 'allow' | 'deny';
  /** Undefined for a rule of an earlier version: see `audienceOf`. */
  readonly audience?: RuleAudience;
  /** Undefined for local tools. */
  readonly serverAddress?: string;
  readonly server?: string;
  /** The tool's original name; undefined for a rule for a whole server. */
  readonly tool?: string;
  readonly definitionHash?: string;
  readonly conversation?: string;
  /** The id of the caller, for the audience `caller`. */
  readonly caller?: string;
  readonly callerName?: string;
  /** The rule holds only for calls whose arguments match. */
  readonly matching?: ArgumentPatterns;
  /** Who gave the answer. */
  readonly createdBy?: string;
  readonly createdAt: string;
}

/** The store of rules. */
export interface RuleStore {
  list(): Promise<readonly RememberedRule[]>;
  /** Without rules that were read earlier; undefined if `list` returns none of those. */
  listNow?(): Promise<readonly RememberedRule[]>;
  /** The same rules if they are in memory, so that a call need not wait for them. */
  current?(): readonly RememberedRule[] | undefined;
  add(rule: RememberedRule): Promise<void>;
  /** Returns false if there is none with this id. */
  remove(id: string): Promise<boolean>;
}

/** The audience of a rule. Rules of earlier versions are for their conversation, or else for everyone. */
export function audienceOf({ audience, scope }: RememberedRule): RuleAudience {
  return audience ?? (scope === 'conversation' ? 'conversation' : 'everyone');
}

/** Whether a rule is for this caller. */
export function isForCaller(rule: RememberedRule, caller: Caller): boolean {
  const audience = audienceOf(rule);
  if (audience === 'everyone') return true;
  if (audience === 'caller') return rule.caller === caller.id;
  return rule.conversation !== undefined && rule.conversation === caller.conversation;
}

/** The longest text that is compared with a pattern, so that no argument can stall the matcher. */
const maxTextLength = 16_384;

/**
 * Whether arguments match the patterns: each named argument is a text, number or boolean that its glob matches. It is
 * unclear for lists and objects, for very long texts, and for a text with the path segment `..`, which could leave the
 * folder that the pattern names: a rule that allows must not hold then, and a rule that denies must.
 */
export function matchesArguments(
  patterns: ArgumentPatterns | undefined,
  args: JsonObject | undefined,
  ifUnclear = false,
): boolean {
  if (!patterns) return true;
  return Object.entries(patterns).every(([name, pattern]) => {
    const value = args && Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined || value === null) return false;
    const text = typeof value === 'object' ? undefined : String(value);
    if (text === undefined || text.length > maxTextLength || hasParentSegment(text)) return ifUnclear;
    return createMatcher([pattern])(text);
  });
}

/** Whether a path or URI has the segment `..`, percent-encoded or not. */
export function hasParentSegment(text: string): boolean {
  const decoded = text.replaceAll(/%(?:25)*2e/gi, '.').replaceAll(/%(?:25)*(?:2f|5c)/gi, '/');
  return /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(decoded);
}
