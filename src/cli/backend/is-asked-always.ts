import { createMatcher } from '../../catalog/match-globs.ts';
import type { ApprovalRequest } from '../../policy/approval.ts';

/** Whether the configuration asks about a tool each time, whatever was answered before. */
export function isAskedAlways({ tool, server, originalName }: ApprovalRequest, ask: readonly string[]): boolean {
  return [tool, `${server}/${originalName}`].some(createMatcher(ask));
}
