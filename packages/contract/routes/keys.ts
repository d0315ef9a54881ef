import { z } from 'zod';
import { keyInputSchema, keyListSchema, newKeySchema } from '../api/settings.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'keys';

export const keyRoutes = defineRoutes({
  listKeys: {
    method: 'get',
    path: '/api/keys',
    right: 'keys.own',
    group,
    summary:
      'Lists API keys, including revoked ones, without the secret keys: every key with the permission `keys.write`, otherwise the personal keys of the caller.',
    answer: keyListSchema,
  },
  createKey: {
    method: 'post',
    path: '/api/keys',
    right: 'keys.own',
    group,
    recorded: true,
    summary:
      'Creates an API key with at most the permissions of the caller. The key of a person who signed in is their personal key: it never grants more than their roles. The response is the only place that shows it.',
    body: keyInputSchema,
    answer: newKeySchema,
    status: 201,
    errors: ['LIMIT_REACHED'],
  },
  revokeKey: {
    method: 'delete',
    path: '/api/keys/{key}',
    right: 'keys.own',
    group,
    recorded: true,
    summary:
      'Revokes a key, and with it the keys that it created, and deletes its accounts at servers. Its requests end at once, on other replicas within a second.',
    params: z.object({ key: z.string() }),
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
});
