import type { Permission } from '../../../contract/rights.ts';
import type { Identity } from './identity.ts';
import type { Persons } from './persons.ts';
import { permissionsOfRoles, type RoleStore } from './users.ts';

/**
 * The permissions that a caller has without a role that was granted for a time. Only these can be passed on, in keys and roles and
 * by granting: what was granted for an hour must end after an hour.
 */
export async function standingPermissions(
  { caller, permissions }: Identity,
  ports: {
    readonly security: { readonly persons: Pick<Persons, 'userOf'> };
    readonly storage: { readonly roles: RoleStore };
  },
): Promise<ReadonlySet<Permission>> {
  const user = await ports.security.persons.userOf(caller);
  if (!user) return permissions;
  const standing = await permissionsOfRoles(user.roles, ports.storage.roles);
  return new Set([...permissions].filter((permission) => standing.has(permission)));
}
