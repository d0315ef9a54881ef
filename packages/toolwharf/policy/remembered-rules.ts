import type { RuleAudience } from '../../contract/approvals.ts';
import type { JsonObject } from '../../contract/json.ts';
import { createMatcher } from '../../contract/match-globs.ts';
import { compareDecimals, numberText, parseDecimal } from '../kernel/decimal.ts';
import { isRawNumber } from '../kernel/exact-json.ts';
import type { Caller } from '../kernel/tool.ts';
import {
  createSureMatcher,
  hasParentSegment,
  maxComparedLength,
  toDenyPatterns,
  toSpellings,
} from './comparable-text.ts';

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

export interface MatchOptions {
  /** Whether the call has more than its arguments, which patterns cannot compare. A rule with patterns does not allow it. */
  readonly hasExtraParams?: boolean;
  /** The answer of the rule: one that allows holds only if a match is certain, one that denies also if it is possible. */
  readonly answer: RememberedRule['answer'];
  /** The names of arguments that cannot be compared, such as secrets. */
  readonly hidden?: ReadonlySet<string>;
  /** What a server may use instead of an argument that is missing, which a rule that denies compares. */
  readonly defaultsOf?: (name: string) => readonly unknown[];
}

/**
 * Whether arguments match the patterns: each named argument is a text, number or boolean that its glob matches. It is unclear
 * for lists and objects, for secrets, for very long texts, and for a text with the path segment `..`, which could leave the folder
 * that the pattern names: a rule that allows does not hold then, and a rule that denies does. Of a missing argument, a rule that
 * denies compares the defaults.
 */
export function matchesArguments(
  patterns: ArgumentPatterns | undefined,
  args: JsonObject | undefined,
  { answer, hidden, hasExtraParams = false, defaultsOf = () => [] }: MatchOptions,
): boolean {
  if (!patterns) return true;
  if (hasExtraParams && answer === 'allow') return false;
  return Object.entries(patterns).every(([name, pattern]) => {
    const value = args && Object.hasOwn(args, name) ? args[name] : undefined;
    const isMissing = value === undefined || value === null;
    if (isMissing && (!args || answer === 'allow')) return false;
    const values = isMissing ? defaultsOf(name) : [value];
    return values.some((one) => matchesValue(one, pattern, answer, hidden?.has(name)));
  });
}

function matchesValue(value: unknown, pattern: string, answer: RememberedRule['answer'], isHidden = false): boolean {
  const text = isRawNumber(value) ? numberText(value) : typeof value === 'object' ? undefined : String(value);
  if (text === undefined || isHidden || text.length > maxComparedLength || hasParentSegment(text))
    return answer === 'deny';
  return answer === 'deny' ? mayMatch(pattern, text) : createSureMatcher([pattern])(text);
}

/** Whether a text, in one of its spellings, matches a pattern. */
function mayMatch(pattern: string, text: string): boolean {
  const matches = createMatcher(toDenyPatterns(pattern));
  for (const spelling of toSpellings(text)) if (matches(spelling)) return true;
  return isSameNumber(pattern, text);
}

/** Whether both are the same number, such as 13 and 1.3e1. */
function isSameNumber(one: string, other: string): boolean {
  const [first, second] = [parseDecimal(one.trim()), parseDecimal(other.trim())];
  if (first && second) return compareDecimals(first, second) === 0;
  return one.trim() !== '' && other.trim() !== '' && Number(one) === Number(other);
}
