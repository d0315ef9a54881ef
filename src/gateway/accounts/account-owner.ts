import type { Caller } from '../../kernel/tool.ts';
import { callerOwner } from '../../servers/accounts/open-accounts.ts';
import type { ConversationStore } from '../../storage/ports/conversation-store.ts';
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

/** The page of the app on which a person connects an account; undefined if the gateway's address for browsers is unknown. */
export function accountsPage(returnUrl: string | undefined, server: string): string | undefined {
  return returnUrl && new URL(`/accounts?server=${encodeURIComponent(server)}`, returnUrl).href;
}
