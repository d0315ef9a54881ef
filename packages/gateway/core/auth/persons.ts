import type { JwtConfig } from '../../../contract/settings/gateway-config.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import { userCallerId, userOf } from '../../../toolwharf/kernel/user-caller.ts';
import type { Person } from '../../../toolwharf/policy/review.ts';
import type { KeyStore } from '../../../toolwharf/storage/ports/key-store.ts';
import { rolesOf, type User, type UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
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
  /** The ids of all callers of the person behind a caller, with that of the caller: their sign-in, their keys, also revoked ones, and their tokens. */
  callersOf(caller: Caller): Promise<readonly string[]>;
  /** The user behind a caller; undefined if the person never signed in. */
  userOf(caller: Caller): Promise<User | undefined>;
  /** Whether an administrator has disabled the subject of a token, who signs in too. */
  isDisabled(callerId: string): Promise<boolean>;
  /** What the identity provider said about the person when they last signed in; undefined for others. */
  find(caller: Caller): Promise<Person | undefined>;
  /** The person to whom keys that this caller creates belong; undefined for the operator, who creates keys for others. */
  creatorOf(identity: Identity): Promise<string | undefined>;
}

export interface PersonsPorts {
  readonly users: Pick<UserStore, 'get' | 'find'>;
  readonly keys: Pick<KeyStore, 'get' | 'list'>;
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

  async function callersOf(caller: Caller): Promise<readonly string[]> {
    const { id } = caller;
    const user = await findUser(caller);
    const person = user ? toPerson(user.issuer, user.subject) : await personOf(id);
    const ofPerson = (await keys.list()).filter(({ createdBy }) => createdBy === person);
    const issuer = jwt()?.issuer;
    const subject = issuer && person.startsWith(`${withoutSlash(issuer)}#`) && person.slice(person.indexOf('#') + 1);
    return [
      ...new Set([
        id,
        ...(user ? [userCallerId(user.id)] : []),
        ...ofPerson.map((key) => `${keyCallerPrefix}${key.id}`),
        ...(subject ? [`${jwtCallerPrefix}${subject}`] : []),
      ]),
    ];
  }

  return {
    userOf: findUser,
    personOf,
    callersOf,
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
      const { name, email = '', groups, issuer, subject } = user;
      return { id: toPerson(issuer, subject), name: name ?? email, groups, roles: rolesOf(user) };
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
