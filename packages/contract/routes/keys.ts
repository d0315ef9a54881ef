import { z } from 'zod';
import { keyInputSchema, keyListSchema, newKeySchema } from '../api/settings.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'keys';

export const keyRoutes = defineRoutes({
  listKeys: {
    method: 'get',
    path: '/api/keys',
    right: 'admin',
    group,
    summary: 'Lists every API key, including revoked ones, without the secret keys.',
    answer: keyListSchema,
  },
  createKey: {
    method: 'post',
    path: '/api/keys',
    right: 'admin',
    group,
    summary: 'Creates an API key. The response is the only place that shows it.',
    body: keyInputSchema,
    answer: newKeySchema,
    status: 201,
  },
  revokeKey: {
    method: 'delete',
    path: '/api/keys/{key}',
    right: 'admin',
    group,
    summary:
      'Revokes a key, and deletes its accounts at servers. Its requests end at once, on other replicas within a second.',
    params: z.object({ key: z.string() }),
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
});
