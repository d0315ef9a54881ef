import type { ApprovalView } from './api/approvals.ts';
import type { Client } from './client.ts';
import type { ApiRoutes } from './operations.ts';

/** All pending approvals, newest first: an old one may be the one that somebody waits for. */
export async function listPendingApprovals(
  api: Pick<Client<ApiRoutes>, 'listApprovals'>,
  signal?: AbortSignal,
): Promise<readonly ApprovalView[]> {
  const approvals: ApprovalView[] = [];
  for (let before: string | undefined; ; ) {
    const page = await api.listApprovals({ query: { status: 'pending', limit: 500, before }, signal });
    approvals.push(...page.approvals);
    if (page.next === undefined) return approvals;
    before = page.next;
  }
}
