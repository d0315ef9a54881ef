import type { OAuthRecords, OAuthStore } from '../authentication/oauth-store.ts';

/**
 * The sign-ins of one account. Its tokens and pending sign-ins are its own. The registration of Toolwharf at the
 * authorization server is the same for all accounts.
 */
export function accountOAuthStore(store: OAuthStore, account: string): OAuthStore {
  const ownKey = (serverKey: string) => `${serverKey} account ${account}`;
  const keyFor = (serverKey: string, kind: keyof OAuthRecords) =>
    kind === 'tokens' || kind === 'pending' ? ownKey(serverKey) : serverKey;
  return {
    get: (serverKey, kind, id) => store.get(keyFor(serverKey, kind), kind, id),
    set: (serverKey, kind, record, id) => store.set(keyFor(serverKey, kind), kind, record, id),
    delete: (serverKey, kind, id) =>
      kind === undefined ? store.delete(ownKey(serverKey)) : store.delete(keyFor(serverKey, kind), kind, id),
    withLock: store.withLock && ((serverKey, work) => store.withLock?.(ownKey(serverKey), work) as never),
  };
}
