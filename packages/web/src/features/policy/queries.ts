import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** The queries of this feature. */
export const policyQueries = {
  policy: () => queryOptions({ queryKey: ['rules', 'policy'], queryFn: ({ signal }) => api.getPolicy({ signal }) }),
  decisions: (days: number) =>
    queryOptions({
      queryKey: ['policy', 'decisions', days],
      queryFn: ({ signal }) => api.countDecisions({ query: { days }, signal }),
    }),
  proposals: () =>
    queryOptions({
      queryKey: ['policy', 'proposals'],
      queryFn: ({ signal }) => api.proposeRules({ query: {}, signal }),
    }),
  explanation: (call: string) =>
    queryOptions({
      queryKey: ['rules', 'explanation', call],
      queryFn: ({ signal }) => api.explainCall({ path: { call }, signal }),
    }),
  recentCalls: () =>
    queryOptions({
      queryKey: ['policy', 'calls'],
      queryFn: async ({ signal }) => (await api.listCalls({ query: { limit: 50 }, signal })).calls,
    }),
};
