import type { Caller } from '../../kernel/tool.ts';
import { type AccountPorts, callerOwner } from '../../servers/accounts/open-accounts.ts';
import type { ConversationStore } from '../../storage/ports/conversation-store.ts';
import type { Storage } from '../../storage/storage.ts';
import { localCallerId } from '../auth/identity.ts';

/**
 * The owner of the accounts of a caller. The person who runs the gateway has one set of accounts, at this machine and
 * with the admin token.
 */
export function toAccountOwner(caller: string): string {
  return caller === localCallerId || caller === 'admin' ? 'operator' : caller;
}

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
