import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

/** The latest questions that no longer wait, newest first. */
export const answeredApprovals = (limit: number) =>
  queryOptions({
    queryKey: ['approvals', 'answered', limit],
    async queryFn({ signal }) {
      const { approvals } = await api.listApprovals({ query: { limit }, signal });
      return { answered: approvals.filter(({ status }) => status !== 'pending'), isFull: approvals.length === limit };
    },
    placeholderData: keepPreviousData,
  });
