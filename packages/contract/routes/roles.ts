import { z } from 'zod';
import { answer, body, isoTime, list, revision, revisionRead } from '../api/named.ts';
import { roleName, roleSettingsSchema } from '../records/role.ts';
import { permissionNames } from '../rights.ts';
import { defineRoutes } from './define-routes.ts';

const permission = z.enum(permissionNames);

export const roleSchema = answer(
  'Role',
  z.strictObject({
    name: z.string().describe('As in `gateway.oidc.roles`.'),
    title: z.string(),
    description: z.string().optional(),
    permissions: list(permission).describe('With those that they imply.'),
    builtIn: z.boolean().describe('Built-in roles cannot be changed.'),
    groups: list(z.string()).describe('The groups of the identity provider that have the role.'),
    updatedAt: isoTime.optional(),
    revision,
  }),
);

export const roleListSchema = answer(
  'RoleList',
  z.strictObject({
    roles: list(roleSchema),
    permissions: list(z.strictObject({ name: permission, label: z.string(), implies: list(permission) })).describe(
      'Every permission.',
    ),
  }),
);

export const newRoleSchema = body('NewRole', roleSettingsSchema.extend({ name: roleName }));
export const roleInputSchema = body('RoleInput', roleSettingsSchema.extend({ revision: revisionRead }));

const group = 'roles';
const right = 'roles.write';
const params = z.object({ role: z.string() });

export const roleRoutes = defineRoutes({
  listRoles: {
    method: 'get',
    path: '/api/roles',
    right: 'tools.read',
    group,
    summary: 'Lists the roles, built-in ones first, and every permission.',
    answer: roleListSchema,
  },
  createRole: {
    method: 'post',
    path: '/api/roles',
    right,
    group,
    summary: 'Creates a role with permissions that the caller has. Map groups to it in `gateway.oidc.roles`.',
    body: newRoleSchema,
    answer: roleSchema,
    status: 201,
    errors: ['CONFLICT'],
  },
  updateRole: {
    method: 'put',
    path: '/api/roles/{role}',
    right,
    group,
    summary: 'Replaces the permissions of a role. They hold at once for everyone who has it.',
    params,
    body: roleInputSchema,
    answer: roleSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
  removeRole: {
    method: 'delete',
    path: '/api/roles/{role}',
    right,
    group,
    summary: 'Deletes a role. Who has it loses its permissions at once.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
});
