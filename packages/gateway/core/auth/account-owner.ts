import { localCallerId } from './identity.ts';

/**
 * The owner of the accounts of a caller. The person who runs the gateway has one set of accounts, at this machine and
 * with the admin token.
 */
export function toAccountOwner(caller: string): string {
  return caller === localCallerId || caller === 'admin' ? 'operator' : caller;
}
