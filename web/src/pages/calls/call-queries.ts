import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import type { Call } from '../../api/client.ts';

/** One call with its result. Not below `calls`: other calls' events say nothing about this one. */
export const oneCall = (call: string) =>
  queryOptions({ queryKey: ['call', call], queryFn: ({ signal }) => api.getCall({ path: { call }, signal }) });

const maxLooked = 500;

/** The question that was asked about a call; null where there was none, or none that is still known. */
export const approvalOfCall = (call: Call) =>
  queryOptions({
    queryKey: ['approvals', 'of-call', call.id],
    async queryFn({ signal }) {
      const query = { caller: call.caller.id, limit: maxLooked };
      const { approvals } = await api.listApprovals({ query, signal });
      return approvals.find(({ callId }) => callId === call.id) ?? null;
    },
  });
