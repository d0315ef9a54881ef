import { hashOf } from '../kernel/canonical-json.ts';
import type { ApprovalRequest } from '../policy/approval.ts';

/** The same for two questions exactly when they are about the same call by the same caller. */
export function approvalKey(request: ApprovalRequest): string {
  const { caller, server, tool, originalName, argumentsHash, definitionHash } = request;
  const asker = [caller.kind, caller.id, caller.conversation ?? null];
  return hashOf([asker, server ?? null, tool, originalName, argumentsHash, definitionHash]);
}
