import type { IncomingMessage } from 'node:http';
import { ToolwharfError } from '../../../contract/errors.ts';
import { type Permission, permissionNames, type Right } from '../../../contract/rights.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import { abortable } from '../../../toolwharf/kernel/wait.ts';
import type { Elevation } from '../../../toolwharf/storage/ports/user-store.ts';

/** An authenticated caller and its permissions. */
export interface Identity {
  readonly caller: Caller;
  readonly permissions: ReadonlySet<Permission>;
  /** The only profile the caller may use; if undefined, `default`, and every profile with `profiles.use-all`. */
  readonly profile?: string;
  /** May connect to every profile, without seeing the servers of all of them here. */
  readonly usesEveryProfile?: boolean;
  /** The roles of a signed-in user, with one that was granted for a time; the user's id is `caller.user`. */
  readonly roles?: readonly string[];
  /** The role that was granted for a time. */
  readonly elevation?: Elevation;
  /** How the caller authenticated. `loopback` proves only that the request came from this machine. */
  readonly via?: 'admin-token' | 'key' | 'jwt' | 'loopback' | 'sign-in' | 'oauth';
}

/** The caller id of all requests that come from this machine without credentials. */
export const localCallerId = 'local';

/** Authenticates every request, at once where nothing has to be looked up. Undefined means 401; a thrown `ToolwharfError` is answered with its own status. */
export type Authenticate = (request: IncomingMessage) => Identity | undefined | Promise<Identity | undefined>;

/** Rejects if the verification takes longer than a second. Probes are answered even if the database does not answer. */
export function inTime(authenticating: ReturnType<Authenticate>): ReturnType<Authenticate> {
  if (!(authenticating instanceof Promise)) return authenticating;
  const late = new AbortController();
  const message = 'The credentials could not be verified in time: the database does not answer';
  const timer = setTimeout(() => late.abort(new ToolwharfError('STORAGE_UNAVAILABLE', message)), 1_000);
  return abortable(authenticating, late.signal).finally(() => clearTimeout(timer));
}

/** Every permission, for the person who runs the gateway. */
export const everyPermission: ReadonlySet<Permission> = new Set(permissionNames);

export function hasRight(identity: Identity | undefined, right: Right): boolean {
  return right === 'public' || identity?.permissions.has(right) === true;
}

/** Whether the caller sees the servers, tools and content of all profiles. */
export function seesAll({ permissions }: Identity): boolean {
  return permissions.has('profiles.use-all');
}

/** Whether the caller reads the calls of others. */
export function readsAllCalls({ permissions }: Identity): boolean {
  return permissions.has('calls.read-all');
}

/**
 * Whether the caller is the person who runs the gateway: at this machine without a key, or with the admin token. The
 * operator's programs and the operator share one identity, so that the operator also answers for calls of that identity.
 */
export function isOperator({ via }: Identity): boolean {
  return via === 'loopback' || via === 'admin-token';
}

/** The caller ids that are this person. The command line and the app of a local operator act as one person. */
export function personIds(identity: Identity): readonly string[] {
  const { id } = identity.caller;
  return isOperator(identity) && operatorIds.includes(id) ? operatorIds : [id];
}

const operatorIds: readonly string[] = ['admin', localCallerId];

/** Whether a caller id is that of the operator. */
export function isOperatorId(callerId: string): boolean {
  return operatorIds.includes(callerId);
}

/** Whether the caller may add servers that start local programs. A loopback connection alone is not enough. */
export function mayAddPrograms(identity: Identity | undefined): boolean {
  return hasRight(identity, 'servers.run-programs');
}
