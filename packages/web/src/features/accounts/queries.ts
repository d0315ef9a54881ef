import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';

/** The queries of this feature. */
export const accountQueries = {
  /** The caller's accounts, and the servers at which people have accounts. */
  accounts: () => query(['accounts'], (signal) => api.listAccounts({ signal })),
  /** The accounts of everybody. Only administrators see them. */
  everyAccount: () => query(['accounts', 'all'], (signal) => api.listAccounts({ query: { all: 'true' }, signal })),
};
