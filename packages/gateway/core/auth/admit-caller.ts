import type { IncomingMessage, ServerResponse } from 'node:http';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import type { CallPolicy } from '../../../toolwharf/invocation/authorize.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import { createMayRead, createVisibility, type IsListed } from '../../../toolwharf/policy/visible-tools.ts';
import type { CallerUsage, Limits } from '../http/limits/limits.ts';
import { sendJson } from '../mcp/responder.ts';
import { identityOfKey, type KeyAccess, keyCallerPrefix } from './api-keys.ts';
import { hasRight, type Identity, seesAll } from './identity.ts';
import type { ResourceChallenges } from './sign-in.ts';
import { mayUse, toIdentity } from './users.ts';

/** The body of a 401 response. */
export const unauthorized = {
  error: {
    code: 'UNAUTHORIZED',
    message: 'Authentication required: send a valid key as "Authorization: Bearer KEY"',
  },
} as const;

/** Sends a 401 response. */
export function sendUnauthorized(
  request: IncomingMessage,
  response: ServerResponse,
  resource: Pick<ResourceChallenges, 'challenge'>,
): void {
  sendJson(response, 401, unauthorized, { 'www-authenticate': resource.challenge(request) });
}

/** The stores that know who has lost access. */
export type AccessStores = KeyAccess;

export interface AdmitPorts {
  readonly profiles: () => readonly ProfileConfig[];
  readonly isListed: IsListed;
  readonly hasServer: (name: string) => boolean;
  readonly access: AccessStores;
  readonly stopping: AbortSignal;
  readonly limits: Pick<Limits, 'for'>;
  readonly resource: ResourceChallenges;
}

export interface AdmittedCaller {
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  /** The caller's policy at a later time. Rejects when its key was revoked or its profile removed. */
  readonly refreshPolicy: () => Promise<CallPolicy>;
  readonly usage: CallerUsage;
}

/** The caller and profile of a request; undefined if the request was already answered with an error. */
export function admitCaller(
  request: IncomingMessage,
  response: ServerResponse,
  identity: Identity | undefined,
  asked: string | undefined,
  ports: AdmitPorts,
): AdmittedCaller | undefined {
  const { profiles, stopping, limits, resource } = ports;
  if (!identity) return void sendUnauthorized(request, response, resource);
  if (!hasRight(identity, 'tools.call')) {
    const headers = identity.via === 'oauth' && { 'www-authenticate': resource.insufficientScope(request) };
    return refuse(response, 403, 'FORBIDDEN', "This request needs the permission 'tools.call'", headers || undefined);
  }
  if (stopping.aborted) return refuse(response, 503, 'TOOLBOX_CLOSED', 'The gateway is stopping');
  const whole = findProfile(asked, identity, profiles());
  if (!whole) return refuse(response, 404, 'NOT_FOUND', 'No such profile');
  const only = serverOf(request.url);
  if (only !== undefined && !(ports.hasServer(only) && createVisibility(whole).hasServer(only)))
    return refuse(response, 404, 'NOT_FOUND', 'No such server');
  const profile = narrow(whole, only);
  const refreshPolicy = createRefreshPolicy(identity, profile, ports);
  return { caller: identity.caller, profile, refreshPolicy, usage: limits.for(identity) };
}

function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): undefined {
  sendJson(response, status, { error: { code, message } }, headers);
}

function createRefreshPolicy(
  identity: Identity,
  { name, only }: ProfileConfig,
  { profiles, access, isListed }: AdmitPorts,
): AdmittedCaller['refreshPolicy'] {
  return async () => {
    await assertActive(identity, access);
    const current = profiles().find((profile) => profile.name === name);
    if (!current) throw new ToolwharfError('CALL_DENIED', `The profile '${name}' was removed`);
    const visibility = createVisibility(narrow(current, only), isListed);
    return { approval: current.approval, mayUse: visibility.hasTool, mayRead: createMayRead(visibility) };
  };
}

/** The `server` of a URL such as `/mcp/default?server=github`. */
function serverOf(url = ''): string | undefined {
  const at = url.indexOf('?');
  return at === -1 ? undefined : (new URLSearchParams(url.slice(at)).get('server') ?? undefined);
}

const narrowed = new WeakMap<ProfileConfig, Map<string, ProfileConfig>>();

/** The profile with one of its servers. The same object for each request: views are cached by it. */
function narrow(profile: ProfileConfig, only: string | undefined): ProfileConfig {
  if (only === undefined) return profile;
  const known = narrowed.get(profile) ?? new Map<string, ProfileConfig>();
  narrowed.set(profile, known);
  const found = known.get(only) ?? { ...profile, only };
  known.set(only, found);
  return found;
}

/**
 * Rejects when the caller has lost access, the permission to call tools, or its profile since the request was authenticated. Without
 * its permissions at that time, only access and the permission to call are checked.
 */
export async function assertActive(
  before: Pick<Identity, 'caller'> & Partial<Identity>,
  access: AccessStores,
): Promise<void> {
  const { id, user } = before.caller;
  const isKey = id.startsWith(keyCallerPrefix);
  if (!isKey && user === undefined) return;
  const now = isKey
    ? await identityNow(access.keys.get(id.slice(keyCallerPrefix.length)), (key) => identityOfKey(key, access))
    : await identityNow(access.users.get(user ?? ''), (found) =>
        mayUse(found) ? toIdentity(found, access.roles) : undefined,
      );
  if (!now) {
    const lost = isKey ? 'its key was revoked, has expired, or its owner lost access' : 'its user lost access';
    throw new ToolwharfError('CALL_DENIED', `The call was denied: ${lost} while the call was waiting`);
  }
  const hasSameScope = before.permissions === undefined || seesAll(now) || now.profile === before.profile;
  if (hasRight(now, 'tools.call') && hasSameScope) return;
  throw new ToolwharfError('CALL_DENIED', 'The call was denied: the role or profile of its caller changed meanwhile');
}

async function identityNow<Item>(
  finding: Promise<Item | undefined>,
  toIdentityNow: (item: Item) => Identity | undefined | Promise<Identity | undefined>,
): Promise<Identity | undefined> {
  const found = await finding;
  return found && toIdentityNow(found);
}

/** The requested profile if the caller may use it: administrators every profile, others their own, which is `default` if they have none. */
function findProfile(
  asked: string | undefined,
  identity: Identity,
  profiles: readonly ProfileConfig[],
): ProfileConfig | undefined {
  const own = identity.profile ?? 'default';
  const name = asked === undefined ? own : decode(asked);
  if (!seesAll(identity) && !identity.usesEveryProfile && name !== own) return undefined;
  return profiles.find((profile) => profile.name === name);
}

/** Decodes percent-encoding; malformed text is returned unchanged and matches no profile. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
