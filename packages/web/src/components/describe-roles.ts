import { shippedRoles } from '../../../contract/rights.ts';
import type { Session } from '../api/client.ts';
import { safeText } from './safe-text.ts';

/** The name of a role as the app shows it. */
export function roleTitle(name: string): string {
  return Object.hasOwn(shippedRoles, name) ? shippedRoles[name as keyof typeof shippedRoles].title : safeText(name, 60);
}

/** The roles of a person, or what a caller without roles may do. */
export function describeRoles({ roles, permissions }: Pick<Session, 'roles' | 'permissions'>): string {
  if (roles && roles.length > 0) return roles.map(roleTitle).join(', ');
  const missing = shippedRoles.admin.permissions.filter((one) => !permissions.includes(one));
  // A connection from this machine has no credentials with which it could add programs.
  if (missing.every((one) => one === 'servers.run-programs')) return shippedRoles.admin.title;
  if (permissions.includes('tools.call')) return 'Calls tools';
  return permissions.length > 0 ? 'Reads' : 'Nothing allowed';
}
