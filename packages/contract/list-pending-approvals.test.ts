import { expect, test } from 'vitest';
import type { ApprovalView } from './api/approvals.ts';
import type { Client } from './client.ts';
import { listPendingApprovals } from './list-pending-approvals.ts';
import type { ApiRoutes } from './operations.ts';

test('all pending approvals are read, however many pages they have', async () => {
  const all = Array.from({ length: 1_201 }, (_, n) => ({ id: `approval-${n}` }) as ApprovalView);
  const listApprovals = (async ({ query: { limit = 100, before } = {} } = {}) => {
    const start = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1;
    const approvals = all.slice(start, start + limit);
    return { approvals, next: start + limit < all.length ? approvals.at(-1)?.id : undefined };
  }) as Client<ApiRoutes>['listApprovals'];
  expect(await listPendingApprovals({ listApprovals })).toEqual(all);
});
