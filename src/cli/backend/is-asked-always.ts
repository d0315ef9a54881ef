import type { ApprovalRequest } from '../../policy/approval.ts';
import { restricts } from '../../policy/tool-patterns.ts';

/** Whether the configuration asks about a tool each time, whatever was answered before. */
export function isAskedAlways({ tool, server, originalName }: ApprovalRequest, ask: readonly string[]): boolean {
  return restricts(ask, { name: tool, server, originalName });
}
