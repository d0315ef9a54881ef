import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { ApiKey } from '../../../storage/ports/key-store.ts';
import { createApiKey, keyCallerPrefix } from '../../auth/api-keys.ts';
import { mayAddPrograms } from '../../auth/identity.ts';
import { requestError } from '../request-problems.ts';
import { route } from '../route.ts';
import { keyInputSchema, keyListSchema, newKeySchema } from '../schemas/settings.ts';

const group = 'keys';

export const keyRoutes = [
  route({
    operationId: 'listKeys',
    method: 'get',
    path: '/api/keys',
    right: 'admin',
    group,
    summary: 'Lists every API key, including revoked ones, without the secret keys.',
    answer: keyListSchema,
    handle: async (_request, { storage }) => ({ keys: (await storage.keys.list()).map(toView) }),
  }),
  route({
    operationId: 'createKey',
    method: 'post',
    path: '/api/keys',
    right: 'admin',
    group,
    summary: 'Creates an API key. The response is the only place that shows it.',
    body: keyInputSchema,
    answer: newKeySchema,
    status: 201,
    async handle(request, { storage, toolbox }) {
      const { name, profile, rights } = request.body;
      if (profile !== undefined && !toolbox.config.profiles.some((known) => known.name === profile))
        throw requestError([{ path: 'body.profile', message: `there is no profile '${profile}'` }]);
      if (profile !== undefined && rights.includes('admin'))
        throw requestError([
          { path: 'body.profile', message: "cannot be combined with the right 'admin': leave one out" },
        ]);
      // A key must not grant more than its creator may do.
      if (rights.includes('admin') && !mayAddPrograms(request.identity)) {
        const message = "To create an administrator's key, authenticate with the admin token or an administrator's key";
        throw new ToolwharfError('FORBIDDEN', message);
      }
      const { key, record } = createApiKey({ name, rights, profile });
      await storage.keys.add(record);
      return { ...toView(record), key };
    },
  }),
  route({
    operationId: 'revokeKey',
    method: 'delete',
    path: '/api/keys/{key}',
    right: 'admin',
    group,
    summary:
      'Revokes a key, and deletes its accounts at servers. Its requests end at once, on other replicas within a second.',
    params: z.object({ key: z.string() }),
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle(request, { storage, security, toolbox }) {
      const { key } = request.params;
      if (!(await storage.keys.get(key))) throw new ToolwharfError('NOT_FOUND', `There is no key '${key}'`);
      const isRevoked = await storage.keys.revoke(key, new Date().toISOString());
      if (!isRevoked) throw new ToolwharfError('CONFLICT', 'This key is already revoked');
      await toolbox.accounts.removeAll(`${keyCallerPrefix}${key}`);
      await security.recheckAccess(request.outgoing);
    },
  }),
];

function toView({ hash: _hash, ...key }: ApiKey): Omit<ApiKey, 'hash'> {
  return key;
}
