import { ToolwharfError } from '../../../contract/errors.ts';
import { type ApprovalMode, type ApproverGroup, approverGroups } from '../../../contract/settings/choices.ts';
import type { ApprovalConfig } from '../../../contract/settings/config.ts';
import { type Identity, isOperator } from '../auth/identity.ts';

/**
 * Throws `FORBIDDEN` if somebody else than the operator stores a profile whose approval settings are looser than those of the
 * configuration, and than those that the profile has already. Who writes a profile can use it, and would approve their own calls.
 */
export function assertNotLoosened(
  identity: Identity,
  next: ApprovalConfig,
  configured: ApprovalConfig,
  current: ApprovalConfig | undefined,
): void {
  if (isOperator(identity)) return;
  const setting = findLoosened(next, configured);
  if (setting === undefined || (current && findLoosened(next, current) === undefined)) return;
  const message = `approval.${setting} of this profile would be looser than in the configuration: only the operator (at the gateway's machine, or with the admin token) can do that`;
  throw new ToolwharfError('FORBIDDEN', message, { data: { setting: `approval.${setting}` } });
}

/** The first setting that lets calls run, or be approved, that the other settings do not; undefined if there is none. */
export function findLoosened(next: ApprovalConfig, before: ApprovalConfig): keyof ApprovalConfig | undefined {
  const lacks = (patterns: readonly string[], required: readonly string[]) =>
    required.some((pattern) => !patterns.includes(pattern));
  if (strictness[next.mode] < strictness[before.mode]) return 'mode';
  if (next.mode === 'trusted-only' && before.mode === 'trusted-only' && lacks(before.trustedTools, next.trustedTools))
    return 'trustedTools';
  if (lacks(next.deny, before.deny)) return 'deny';
  if (lacks([...next.ask, ...next.deny], before.ask)) return 'ask';
  if (before.reads === 'ask' && next.reads !== 'ask') return 'reads';
  if (reachOf(next.approvers) > reachOf(before.approvers)) return 'approvers';
  return undefined;
}

const strictness: Readonly<Record<ApprovalMode, number>> = { auto: 0, 'trusted-only': 1, 'always-ask': 2 };

/** Each group includes the groups before it. */
function reachOf(group: ApproverGroup): number {
  return approverGroups.indexOf(group);
}
