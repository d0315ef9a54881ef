import { z } from 'zod';
import { answer, isoTime, list } from '../api/named.ts';
import { defineRoutes } from './define-routes.ts';

export const userSchema = answer(
  'User',
  z.strictObject({
    id: z.string(),
    issuer: z.string().describe('The identity provider.'),
    subject: z.string().describe('The id of the person at the identity provider.'),
    name: z.string().optional(),
    email: z.string().optional(),
    roles: list(z.string()).describe('Empty: the identity provider grants no access any more.'),
    profile: z.string().optional().describe('Absent for `default`.'),
    groups: list(z.string()).describe('The groups at the last sign-in.'),
    createdAt: isoTime.describe('The first sign-in.'),
    lastSeenAt: isoTime.optional().describe('The last request, accurate to one minute.'),
    disabledAt: isoTime.optional(),
    elevation: z
      .strictObject({ id: z.string(), role: z.string(), until: isoTime })
      .optional()
      .describe('A role that was granted for a time, also after its end.'),
  }),
);

const userListSchema = answer('UserList', z.strictObject({ users: list(userSchema) }));
const group = 'users';
const right = 'users.write';
const params = z.object({ user: z.string() });

export const userRoutes = defineRoutes({
  listUsers: {
    method: 'get',
    path: '/api/users',
    right,
    group,
    summary: 'Lists the people who have signed in, oldest first.',
    answer: userListSchema,
  },
  disableUser: {
    method: 'post',
    path: '/api/users/{user}/disable',
    right,
    group,
    summary: 'Denies a person access. Their sessions, streams and running answers end at once.',
    params,
    answer: userSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
  enableUser: {
    method: 'post',
    path: '/api/users/{user}/enable',
    right,
    group,
    summary: 'Gives a disabled person access again. They have to sign in again.',
    params,
    answer: userSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
  removeUser: {
    method: 'delete',
    path: '/api/users/{user}',
    right,
    group,
    summary:
      'Removes a person with their accounts at servers, conversations and saved requests; recorded calls stay. To keep somebody out, disable them: a removed person can sign in again.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
});
