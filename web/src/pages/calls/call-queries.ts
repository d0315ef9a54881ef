import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import type { Call } from '../../api/client.ts';

/** One call with its result. Its key is not below `calls`, so that events of other calls do not refetch it. */
export const callQuery = (call: string) =>
  queryOptions({ queryKey: ['call', call], queryFn: ({ signal }) => api.getCall({ path: { call }, signal }) });

const maxChildren = 100;

/** The calls that a call made, in the order they were made. Every call event refetches them. */
export const childCallsQuery = (parent: string) =>
  queryOptions({
    queryKey: ['calls', 'children', parent],
    async queryFn({ signal }) {
      const { calls, next } = await api.listCalls({ query: { parent, limit: maxChildren }, signal });
      return { calls: calls.toReversed(), hasMore: next !== undefined };
    },
  });

const maxApprovals = 500;

/** The approval of a call; null where none was needed or it is no longer stored. */
export const callApprovalQuery = (call: Call) =>
  queryOptions({
    queryKey: ['approvals', 'of-call', call.id],
    async queryFn({ signal }) {
      const query = { caller: call.caller.id, limit: maxApprovals };
      const { approvals } = await api.listApprovals({ query, signal });
      return approvals.find(({ callId }) => callId === call.id) ?? null;
    },
  });
