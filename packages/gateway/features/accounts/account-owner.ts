import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import { type AccountPorts, callerOwner } from '../../../toolwharf/servers/accounts/open-accounts.ts';
import type { ConversationStore } from '../../../toolwharf/storage/ports/conversation-store.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import { toAccountOwner } from '../../core/auth/account-owner.ts';

/**
 * Finds whose accounts a caller uses: those of the signed-in person, otherwise those of the key. An assistant uses the
 * accounts of the person whose conversation it answers.
 */
export function createAccountOwner(conversations: Pick<ConversationStore, 'get'>) {
  return async (caller: Caller): Promise<string | undefined> => {
    const { conversation } = caller;
    const own = callerOwner(caller);
    const id = own ?? (conversation === undefined ? undefined : (await conversations.get(conversation))?.owner);
    return id === undefined ? undefined : toAccountOwner(id);
  };
}

export interface AccountPortsOptions {
  /** Where browsers return after a sign-in to a server; undefined if the gateway's address for browsers is unknown. */
  readonly returnUrl: () => string | undefined;
  /** How long a call waits for a person to connect an account. */
  readonly waitMs: () => number;
}

/** The accounts of the toolbox of a gateway: people connect them on a page of the app. */
export function createAccountPorts(
  { accounts, conversations }: Pick<Storage, 'accounts' | 'conversations'>,
  { returnUrl, waitMs }: AccountPortsOptions,
): AccountPorts {
  return {
    store: accounts,
    ownerOf: createAccountOwner(conversations),
    pageUrl(server) {
      const origin = returnUrl();
      return origin && new URL(`/accounts?server=${encodeURIComponent(server)}`, origin).href;
    },
    waitMs,
  };
}
