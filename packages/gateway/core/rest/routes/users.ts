import type { z } from 'zod';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { userRoutes as routes, type userSchema } from '../../../../contract/routes/users.ts';
import { userCallerId } from '../../../../toolwharf/kernel/user-caller.ts';
import type { User } from '../../../../toolwharf/storage/ports/user-store.ts';
import { keyCallerPrefix } from '../../auth/api-keys.ts';
import type { Identity } from '../../auth/identity.ts';
import { type ApiPorts, implement } from '../route.ts';

export const userRoutes = [
  implement(routes.listUsers, {
    handle: async (_request, { storage }) => ({ users: (await storage.users.list()).map(toView) }),
  }),
  implement(routes.disableUser, {
    async handle({ params: { user: id }, identity, outgoing }, ports) {
      await findOther(id, identity, ports);
      const isDisabled = await ports.storage.users.disable(id, new Date().toISOString());
      if (!isDisabled) throw new ToolwharfError('CONFLICT', 'This user is already disabled');
      await ports.security.recheckAccess(outgoing);
      for (const feature of ports.features) await feature.stopUser?.(id);
      return toView(await findUser(id, ports));
    },
  }),
  implement(routes.enableUser, {
    async handle({ params: { user: id } }, ports) {
      await findUser(id, ports);
      if (!(await ports.storage.users.enable(id))) throw new ToolwharfError('CONFLICT', 'This user is not disabled');
      return toView(await findUser(id, ports));
    },
  }),
  implement(routes.removeUser, {
    async handle({ params: { user: id }, identity, outgoing }, ports) {
      await findOther(id, identity, ports);
      await ports.storage.users.remove(id);
      await ports.security.recheckAccess(outgoing);
      await removeBelongings(id, ports);
    },
  }),
];

async function findUser(id: string, { storage }: ApiPorts): Promise<User> {
  const user = await storage.users.get(id);
  if (user) return user;
  throw new ToolwharfError('NOT_FOUND', `There is no user '${id}'`);
}

/** Administrators cannot lock themselves out. */
async function findOther(id: string, { caller }: Identity, ports: ApiPorts): Promise<void> {
  await findUser(id, ports);
  if (caller.user === id) throw new ToolwharfError('CONFLICT', 'You cannot disable or remove yourself');
}

async function removeBelongings(id: string, { features, storage, toolbox }: ApiPorts): Promise<void> {
  const owner = userCallerId(id);
  await toolbox.accounts.removeAll(owner);
  for (const key of await storage.keys.list()) {
    if (key.user !== id) continue;
    await storage.keys.revoke(key.id, new Date().toISOString());
    await toolbox.accounts.removeAll(`${keyCallerPrefix}${key.id}`);
  }
  for (const feature of features) await feature.removeUser?.(id);
  for (const saved of await storage.savedRequests.list(owner))
    if (saved.owner === owner) await storage.savedRequests.remove(saved.id);
}

function toView({
  claimsAt: _claims,
  sessionVersion: _version,
  sessionsEndedAt: _ended,
  ...user
}: User): z.output<typeof userSchema> {
  return user;
}
