import type { KeyObject } from 'node:crypto';
import type { ToolOverride } from '../../catalog/tool-overrides.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import { isObject } from '../../kernel/json.ts';
import { toolKey } from '../../kernel/tool-id.ts';
import type { ApprovalAnswer } from '../../policy/approval.ts';
import type { AuditEntry } from '../ports/audit.ts';
import type { ApiKey } from '../ports/key-store.ts';
import type { User } from '../ports/user-store.ts';
import type { Storage } from '../storage.ts';
import { actPrefix, hasValidSignature, type SignedAct } from './acts.ts';

/** The hashes of all records that allow calls, by `rule/ID`, `key/ID`, `user/ID`, `profile/ID`, `script/ID`, `tool-overrides` and `approval/ID`. */
export type TrackedState = ReadonlyMap<string, string>;

/** The hash of a key. Its last use is not tracked. */
export function hashKey({ lastUsedAt: _, ...key }: ApiKey): string {
  return hashOf(key);
}

/** The hash of a user's access: names, groups and times are not tracked. */
export function hashUser({ id, issuer, subject, role, profile, disabledAt }: User): string {
  return hashOf({ id, issuer, subject, role, profile, isDisabled: disabledAt !== undefined });
}

/** The hash of an answer that allows a call. */
export function hashAnswer(id: string, answer: ApprovalAnswer): string {
  return hashOf([id, answer]);
}

/** The subject of acts on tool overrides. There can be thousands of them: they are tracked together. */
export const overridesSubject = 'tool-overrides';

/** The hash of all tool overrides; undefined if there are none. */
export function hashOverrides(overrides: readonly ToolOverride[]): string | undefined {
  if (overrides.length === 0) return undefined;
  return hashOf(Object.fromEntries(overrides.map((override) => [toolKey(override), override])));
}

/** The rules, keys, users, profiles, saved scripts, tool overrides and unused approvals that the stores have now. */
export async function readState(storage: Storage): Promise<TrackedState> {
  const { rules, keys, users, profiles, scripts, toolOverrides, approvals } = storage;
  const state = new Map<string, string>();
  for (const rule of await rules.list()) state.set(`rule/${rule.id}`, hashOf(rule));
  for (const key of await keys.list()) state.set(`key/${key.id}`, hashKey(key));
  for (const user of await users.list()) state.set(`user/${user.id}`, hashUser(user));
  for (const profile of await profiles.list()) state.set(`profile/${profile.id}`, hashOf(profile));
  for (const script of await scripts.list()) state.set(`script/${script.id}`, hashOf(script));
  const overrides = hashOverrides(await toolOverrides.list());
  if (overrides !== undefined) state.set(overridesSubject, overrides);
  for (const { request, answer } of await approvals.list({ status: 'allowed', limit: 10_000 }))
    if (answer) state.set(`approval/${request.id}`, hashAnswer(request.id, answer));
  return state;
}

/** Applies the signed acts among these entries to a state. Acts without a valid signature are ignored. */
export async function applyActs(
  entries: AsyncIterable<AuditEntry>,
  before: TrackedState,
  key: KeyObject,
  onAct: (act: SignedAct) => void = () => {},
): Promise<Map<string, string>> {
  const state = new Map(before);
  for await (const { callId, record } of entries) {
    if (!callId.startsWith(actPrefix) || !isObject(record) || !hasValidSignature(record, key)) continue;
    const act = record as unknown as SignedAct;
    if (act.hash === undefined) state.delete(act.subject);
    else state.set(act.subject, act.hash);
    onAct(act);
  }
  return state;
}
