import type { ApprovalFilter, ApprovalRecord } from '../../policy/approval-store.ts';
import type { Identity } from '../auth/identity.ts';
import type { ApiPorts } from './route.ts';

/** The questions someone may see, newest first: all for administrators, those of their calls and conversations for others. */
export async function listApprovals(
  filter: ApprovalFilter & { readonly limit: number },
  identity: Identity,
  ports: Pick<ApiPorts, 'storage' | 'ownership'>,
): Promise<readonly ApprovalRecord[]> {
  const { approvals, assistants } = ports.storage;
  await approvals.expire(Date.now());
  if (identity.isAdmin) return approvals.list(filter);
  const { caller: wanted, ...rest } = filter;
  const callers = [identity.caller.id, ...(await assistants.list()).map(({ id }) => `assistant:${id}`)];
  const found = await Promise.all(
    callers
      .filter((caller) => wanted === undefined || caller === wanted)
      .map((caller) => approvals.list({ ...rest, limit: 1_000, caller })),
  );
  const own: ApprovalRecord[] = [];
  for (const record of found.flat()) if (await ports.ownership.owns(identity, record.request.caller)) own.push(record);
  return own.sort((one, other) => (one.request.askedAt < other.request.askedAt ? 1 : -1)).slice(0, filter.limit);
}
