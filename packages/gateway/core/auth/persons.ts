import type { JwtConfig } from '../../../contract/settings/gateway-config.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import { userOf } from '../../../toolwharf/kernel/user-caller.ts';
import type { Person } from '../../../toolwharf/policy/review.ts';
import type { KeyStore } from '../../../toolwharf/storage/ports/key-store.ts';
import type { User, UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
import { keyCallerPrefix } from './api-keys.ts';
import { type Identity, isOperator } from './identity.ts';
import { jwtCallerPrefix } from './jwt.ts';

/** Finds the person behind a caller id. All identities of one person have the same. */
export interface Persons {
  /**
   * A subject of an issuer is one person, signed in or with a token. A key is the person who created it, or, if the operator did or
   * the creator was not recorded, a person of its own.
   */
  personOf(callerId: string): Promise<string>;
  /** Whether an administrator has disabled the subject of a token, who signs in too. */
  isDisabled(callerId: string): Promise<boolean>;
  /** The person to whom keys that this caller creates belong; undefined for the operator, who creates keys for others. */
  /** What the identity provider said about the person when they last signed in; undefined for others. */
  find(caller: Caller): Promise<Person | undefined>;
  creatorOf(identity: Identity): Promise<string | undefined>;
}

export interface PersonsPorts {
  readonly users: Pick<UserStore, 'get' | 'find'>;
  readonly keys: Pick<KeyStore, 'get'>;
  readonly jwt: () => Pick<JwtConfig, 'issuer'> | undefined;
}

export function createPersons({ users, keys, jwt }: PersonsPorts): Persons {
  async function personOf(callerId: string): Promise<string> {
    const user = userOf(callerId);
    if (user !== undefined) {
      const found = await users.get(user);
      return found ? toPerson(found.issuer, found.subject) : callerId;
    }
    if (callerId.startsWith(keyCallerPrefix))
      return (await keys.get(callerId.slice(keyCallerPrefix.length)))?.createdBy ?? callerId;
    const issuer = jwt()?.issuer;
    if (callerId.startsWith(jwtCallerPrefix) && issuer !== undefined)
      return toPerson(issuer, callerId.slice(jwtCallerPrefix.length));
    return callerId;
  }

  async function findUser({ id, user = userOf(id) }: Caller): Promise<User | undefined> {
    if (user !== undefined) return users.get(user);
    const person = await personOf(id);
    const end = person.indexOf('#');
    if (end === -1) return undefined;
    const [issuer, subject] = [person.slice(0, end), person.slice(end + 1)];
    return (await users.find(issuer, subject)) ?? users.find(`${issuer}/`, subject);
  }

  return {
    personOf,
    async isDisabled(callerId) {
      const issuer = jwt()?.issuer;
      if (issuer === undefined || !callerId.startsWith(jwtCallerPrefix)) return false;
      const subject = callerId.slice(jwtCallerPrefix.length);
      const issuers = [withoutSlash(issuer), `${withoutSlash(issuer)}/`];
      const found = await Promise.all(issuers.map((one) => users.find(one, subject)));
      return found.some((user) => user?.disabledAt !== undefined);
    },
    async find(caller) {
      const user = await findUser(caller);
      if (!user) return undefined;
      const { name, email = '', groups, role, issuer, subject } = user;
      return { id: toPerson(issuer, subject), name: name ?? email, groups, roles: role === 'none' ? [] : [role] };
    },
    creatorOf: async (identity) => (isOperator(identity) ? undefined : personOf(identity.caller.id)),
  };
}

/** Issuers have no fragment. Some settings name them with a slash at the end, some without. */
function toPerson(issuer: string, subject: string): string {
  return `${withoutSlash(issuer)}#${subject}`;
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/+$/, '');
}
