import { z } from 'zod';
import { userRoles } from '../../../storage/ports/user-store.ts';
import { answer, isoTime, list } from './named.ts';

export const userSchema = answer(
  'User',
  z.strictObject({
    id: z.string(),
    issuer: z.string().describe('The identity provider.'),
    subject: z.string().describe('The id of the person at the identity provider.'),
    name: z.string().optional(),
    email: z.string().optional(),
    role: z.enum(userRoles).describe('`none`: the identity provider grants no access any more.'),
    profile: z.string().optional().describe('Absent for administrators, who use every profile, and for `default`.'),
    groups: list(z.string()).describe('The groups at the last sign-in.'),
    createdAt: isoTime.describe('The first sign-in.'),
    lastSeenAt: isoTime.optional().describe('The last request, accurate to one minute.'),
    disabledAt: isoTime.optional(),
  }),
);

export const userListSchema = answer('UserList', z.strictObject({ users: list(userSchema) }));
