import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** The queries of this feature. */
export const accountQueries = {
  /** The caller's accounts, and the servers at which people have accounts. */
  accounts: () => queryOptions({ queryKey: ['accounts'], queryFn: ({ signal }) => api.listAccounts({ signal }) }),
  /** The accounts of everybody. Only administrators see them. */
  everyAccount: () =>
    queryOptions({
      queryKey: ['accounts', 'all'],
      queryFn: ({ signal }) => api.listAccounts({ query: { all: 'true' }, signal }),
    }),
};
