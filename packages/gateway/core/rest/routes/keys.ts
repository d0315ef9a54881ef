import { ToolwharfError } from '../../../../contract/errors.ts';
import { type KeyRight, type Permission, permissionsOf, rightSets } from '../../../../contract/rights.ts';
import { keyRoutes as routes } from '../../../../contract/routes/keys.ts';
import type { ApiKey } from '../../../../toolwharf/storage/ports/key-store.ts';
import { createApiKey, keyCallerPrefix } from '../../auth/api-keys.ts';
import { hasRight, type Identity, isOperator, seesAll } from '../../auth/identity.ts';
import { standingPermissions } from '../../auth/standing-permissions.ts';
import { requestError } from '../request-problems.ts';
import { type ApiPorts, implement } from '../route.ts';

/** How many keys a person can have who manages no keys of others. */
const maxOwnKeys = 50;

export const keyRoutes = [
  implement(routes.listKeys, {
    handle: async ({ identity }, { storage }) => ({
      keys: (await storage.keys.list()).filter((key) => isManageable(key, identity)).map(toView),
    }),
  }),
  implement(routes.createKey, {
    async handle({ identity, body }, ports) {
      const { name, profile, rights, expiresInDays } = body;
      assertProfile(profile, permissionsOf(rights), identity, ports);
      const { storage, security } = ports;
      const user = isOperator(identity) ? undefined : await security.persons.userOf(identity.caller);
      assertGrantable(rights, await standingPermissions(identity, ports));
      await assertRoomForKey(identity, ports);
      const { id } = identity.caller;
      const { key, record } = createApiKey({
        ...{ name, rights, profile },
        createdBy: await security.persons.creatorOf(identity),
        user: user?.id,
        parent: identity.via === 'key' ? id.slice(keyCallerPrefix.length) : undefined,
        expiresAt:
          expiresInDays === undefined ? undefined : new Date(Date.now() + expiresInDays * 86_400_000).toISOString(),
      });
      await storage.keys.add(record);
      return { ...toView(record), key };
    },
  }),
  implement(routes.revokeKey, {
    async handle({ params: { key: id }, identity, outgoing }, { storage, security, toolbox }) {
      const key = await storage.keys.get(id);
      if (!key || !isManageable(key, identity)) throw new ToolwharfError('NOT_FOUND', `There is no key '${id}'`);
      const isRevoked = await storage.keys.revoke(id, new Date().toISOString());
      if (!isRevoked) throw new ToolwharfError('CONFLICT', 'This key is already revoked');
      await toolbox.accounts.removeAll(`${keyCallerPrefix}${id}`);
      await security.recheckAccess(outgoing);
    },
  }),
];

/** Whether the caller sees and revokes the key: a personal key of theirs, or any with `keys.write`. */
function isManageable({ user }: ApiKey, identity: Identity): boolean {
  return hasRight(identity, 'keys.write') || (user !== undefined && user === identity.caller.user);
}

function assertProfile(
  profile: string | undefined,
  permissions: ReadonlySet<Permission>,
  identity: Identity,
  { toolbox }: ApiPorts,
): void {
  if (profile === undefined) return;
  const isUsable = seesAll(identity) || identity.usesEveryProfile || profile === (identity.profile ?? 'default');
  if (!isUsable || !toolbox.config.profiles.some(({ name }) => name === profile))
    throw requestError([{ path: 'body.profile', message: `there is no profile '${profile}'` }]);
  if (!permissions.has('profiles.use-all')) return;
  const message = "cannot be combined with 'admin' or 'profiles.use-all': leave one out";
  throw requestError([{ path: 'body.profile', message }]);
}

/** A key must not grant more than its creator may do. Of the sets `read` and `call`, it grants what the creator has. */
function assertGrantable(rights: readonly KeyRight[], own: ReadonlySet<Permission>): void {
  const wanted = rights.flatMap((right): readonly Permission[] => {
    if (right === 'read' || right === 'call') return [];
    return right === 'admin' ? rightSets.admin : [right];
  });
  const missing = wanted.filter((permission) => !own.has(permission));
  if (missing.length === 0) return;
  const shown =
    missing.length > 3 ? `${missing.slice(0, 3).join(', ')} and ${missing.length - 3} more` : missing.join(', ');
  const message = `A key cannot grant permissions that you do not have yourself: ${shown}`;
  throw new ToolwharfError('FORBIDDEN', message, { data: { permissions: missing } });
}

async function assertRoomForKey(identity: Identity, { storage }: ApiPorts): Promise<void> {
  const { user } = identity.caller;
  if (user === undefined || hasRight(identity, 'keys.write')) return;
  const now = new Date().toISOString();
  const active = (await storage.keys.list()).filter(
    (key) => key.user === user && key.revokedAt === undefined && (key.expiresAt ?? now) >= now,
  );
  if (active.length < maxOwnKeys) return;
  throw new ToolwharfError('LIMIT_REACHED', `You have ${maxOwnKeys} keys already: revoke one first`);
}

function toView({ hash: _hash, ...key }: ApiKey): Omit<ApiKey, 'hash'> {
  return key;
}
