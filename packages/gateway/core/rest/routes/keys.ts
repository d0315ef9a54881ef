import { ToolwharfError } from '../../../../contract/errors.ts';
import { keyRoutes as routes } from '../../../../contract/routes/keys.ts';
import type { ApiKey } from '../../../../toolwharf/storage/ports/key-store.ts';
import { createApiKey, keyCallerPrefix } from '../../auth/api-keys.ts';
import { mayAddPrograms } from '../../auth/identity.ts';
import { requestError } from '../request-problems.ts';
import { implement } from '../route.ts';

export const keyRoutes = [
  implement(routes.listKeys, {
    handle: async (_request, { storage }) => ({ keys: (await storage.keys.list()).map(toView) }),
  }),
  implement(routes.createKey, {
    async handle(request, { storage, toolbox, security: { persons } }) {
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
      const { key, record } = createApiKey({
        name,
        rights,
        profile,
        createdBy: await persons.creatorOf(request.identity),
      });
      await storage.keys.add(record);
      return { ...toView(record), key };
    },
  }),
  implement(routes.revokeKey, {
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
