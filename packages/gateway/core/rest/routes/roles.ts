import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { ToolwharfError } from '../../../../contract/errors.ts';
import type { Role, RoleSettings } from '../../../../contract/records/role.ts';
import {
  impliedBy,
  labelOf,
  permissionNames,
  shippedRoleNames,
  shippedRoles,
  withImplied,
} from '../../../../contract/rights.ts';
import { type roleSchema, roleRoutes as routes } from '../../../../contract/routes/roles.ts';
import type { Stored } from '../../../../toolwharf/storage/ports/record-store.ts';
import type { Identity } from '../../auth/identity.ts';
import { standingPermissions } from '../../auth/standing-permissions.ts';
import { changedMeanwhile, nameTaken, noRecord } from '../../records/administer.ts';
import { withCurrent } from '../revision-conflict.ts';
import { type ApiPorts, implement } from '../route.ts';

type RoleView = z.output<typeof roleSchema>;

export const roleRoutes = [
  implement(routes.listRoles, {
    async handle(_request, ports) {
      const builtIn = shippedRoleNames.map((name) => ({
        ...{ ...shippedRoles[name], name, builtIn: true, groups: groupsOf(name, ports) },
        permissions: [...shippedRoles[name].permissions],
      }));
      const stored = (await ports.storage.roles.list()).map((role) => toView(role, ports));
      const permissions = permissionNames.map((name) => ({ name, label: labelOf(name), implies: impliedBy(name) }));
      return { roles: [...builtIn, ...stored], permissions };
    },
  }),
  implement(routes.createRole, {
    async handle({ body: { name, ...settings }, identity }, ports) {
      await assertHas(settings, [], identity, ports);
      if (await ports.storage.roles.find(name)) throw nameTaken('role', name);
      const now = new Date().toISOString();
      const role = { ...settings, id: randomUUID(), name, createdAt: now, updatedAt: now };
      const added = await ports.storage.roles.replace(role, 0);
      if (!added) throw changedMeanwhile('role', name);
      return toView(added, ports);
    },
  }),
  implement(routes.updateRole, {
    async handle({ params: { role: name }, body: { revision, ...settings }, identity, outgoing }, ports) {
      const change = async () => {
        const before = await findRole(name, ports);
        if (revision !== undefined && revision !== before.revision)
          throw changedMeanwhile('role', name, before.revision);
        await assertHas(settings, before.permissions, identity, ports);
        const { id, createdAt } = before;
        const role: Role = { ...settings, id, name, createdAt, updatedAt: new Date().toISOString() };
        const replaced = await ports.storage.roles.replace(role, before.revision);
        if (!replaced) throw changedMeanwhile('role', name, (await ports.storage.roles.get(id))?.revision);
      };
      const showNow = async () => toView(await findRole(name, ports), ports);
      await withCurrent(change, showNow);
      await ports.security.recheckAccess(outgoing);
      return showNow();
    },
  }),
  implement(routes.removeRole, {
    async handle({ params: { role: name }, outgoing }, ports) {
      const { id } = await findRole(name, ports);
      await ports.storage.roles.remove(id);
      await ports.security.recheckAccess(outgoing);
    },
  }),
];

async function findRole(name: string, { storage }: ApiPorts): Promise<Stored<Role>> {
  if (Object.hasOwn(shippedRoles, name))
    throw new ToolwharfError('CONFLICT', `The role '${name}' is built in and cannot be changed`, {
      data: { role: name },
    });
  const found = await storage.roles.find(name);
  if (!found) throw noRecord('role', name);
  return found;
}

/** Nobody gives a role permissions that they lack themselves, or have for a limited time only. */
async function assertHas(
  { permissions }: RoleSettings,
  before: readonly string[],
  identity: Identity,
  ports: ApiPorts,
): Promise<void> {
  const own = await standingPermissions(identity, ports);
  const known = withImplied(before);
  const missing = [...withImplied(permissions)].filter((name) => !known.has(name) && !own.has(name));
  if (missing.length === 0) return;
  const message = `A role cannot get permissions that you do not have yourself: ${missing.join(', ')}`;
  throw new ToolwharfError('FORBIDDEN', message, { data: { permissions: missing } });
}

function groupsOf(name: string, { toolbox }: ApiPorts): string[] {
  const roles = toolbox.config.gateway.oidc?.roles ?? {};
  return Object.hasOwn(roles, name) ? [...(roles[name] ?? [])] : [];
}

function toView(
  { name, title, description, permissions, updatedAt, revision }: Stored<Role>,
  ports: ApiPorts,
): RoleView {
  return {
    ...{ name, title: title || name, description, updatedAt, revision },
    permissions: [...withImplied(permissions)],
    builtIn: false,
    groups: groupsOf(name, ports),
  };
}
