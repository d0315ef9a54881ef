import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { ApiKey } from '../../../storage/ports/key-store.ts';
import { createApiKey } from '../../auth/api-keys.ts';
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
    summary: 'Every API key, revoked ones too; never the keys themselves.',
    answer: keyListSchema,
    handle: async (_request, { storage }) => ({ keys: (await storage.keys.list()).map(toView) }),
  }),
  route({
    operationId: 'createKey',
    method: 'post',
    path: '/api/keys',
    right: 'admin',
    group,
    summary: 'Makes an API key and shows it this once.',
    body: keyInputSchema,
    answer: newKeySchema,
    status: 201,
    async handle(request, { storage, toolbox }) {
      const { name, profile, rights } = request.body;
      if (profile !== undefined && !toolbox.config.profiles.some((known) => known.name === profile))
        throw requestError([{ path: 'body.profile', message: `there is no profile '${profile}'` }]);
      if (profile !== undefined && rights.includes('admin'))
        throw requestError([
          { path: 'body.profile', message: 'an administrator is not held to a profile: leave one out' },
        ]);
      // Nobody gets by a key what they may not do without it.
      if (rights.includes('admin') && !mayAddPrograms(request.identity)) {
        const message = 'To make an administrator, prove who you are: send the admin token or the key of another one';
        throw new ToolwharfError('FORBIDDEN', message);
      }
      const { key, record } = createApiKey({ name, rights, ...(profile !== undefined && { profile }) });
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
    summary: 'Ends a key at once.',
    params: z.object({ key: z.string() }),
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle(request, { storage, events }) {
      const { key } = request.params;
      if (!(await storage.keys.get(key))) throw new ToolwharfError('NOT_FOUND', `There is no key '${key}'`);
      const isNews = await storage.keys.revoke(key, new Date().toISOString());
      if (!isNews) throw new ToolwharfError('CONFLICT', 'This key was revoked before');
      await events.recheckAccess();
    },
  }),
];

function toView({ hash: _hash, ...key }: ApiKey): Omit<ApiKey, 'hash'> {
  return key;
}
