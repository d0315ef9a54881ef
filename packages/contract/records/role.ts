import { z } from 'zod';
import { permissionNames, shippedRoleNames } from '../rights.ts';

/** The name of a role, as in `gateway.oidc.roles`. */
export const roleName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, 'must have 1 to 50 lower-case letters, digits and hyphens')
  .refine((name) => name !== 'none' && !(shippedRoleNames as readonly string[]).includes(name), {
    error: 'is the name of a built-in role',
  });

/** The settings of a role of one's own: a named set of permissions. */
export const roleSettingsSchema = z.strictObject({
  title: z.string().trim().max(60).optional().describe('The name that the app shows.'),
  description: z.string().trim().max(500).optional(),
  permissions: z
    .array(z.enum(permissionNames))
    .min(1)
    .describe('What people with the role may do. A permission includes those that it implies.'),
});

export type RoleSettings = z.output<typeof roleSettingsSchema>;

/** A stored role. */
export interface Role extends RoleSettings {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}
