import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { userCallerId } from '../../../kernel/user-caller.ts';
import { type User, userRoles } from '../../../storage/ports/user-store.ts';
import type { Identity } from '../../auth/identity.ts';
import { type ApiPorts, route } from '../route.ts';
import { answer, isoTime, list } from '../schemas/named.ts';

const userSchema = answer(
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

const userListSchema = answer('UserList', z.strictObject({ users: list(userSchema) }));

const group = 'users';
const right = 'admin';
const params = z.object({ user: z.string() });

export const userRoutes = [
  route({
    operationId: 'listUsers',
    method: 'get',
    path: '/api/users',
    right,
    group,
    summary: 'Lists the people who have signed in, oldest first.',
    answer: userListSchema,
    handle: async (_request, { storage }) => ({ users: (await storage.users.list()).map(toView) }),
  }),
  route({
    operationId: 'disableUser',
    method: 'post',
    path: '/api/users/{user}/disable',
    right,
    group,
    summary: 'Denies a person access. Their sessions, streams and running answers end at once.',
    params,
    answer: userSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle({ params: { user: id }, identity, outgoing }, ports) {
      await findOther(id, identity, ports);
      const isDisabled = await ports.storage.users.disable(id, new Date().toISOString());
      if (!isDisabled) throw new ToolwharfError('CONFLICT', 'This user is already disabled');
      await ports.security.recheckAccess(outgoing);
      await stopAnswers(id, ports);
      return toView(await findUser(id, ports));
    },
  }),
  route({
    operationId: 'enableUser',
    method: 'post',
    path: '/api/users/{user}/enable',
    right,
    group,
    summary: 'Gives a disabled person access again. They have to sign in again.',
    params,
    answer: userSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle({ params: { user: id } }, ports) {
      await findUser(id, ports);
      if (!(await ports.storage.users.enable(id))) throw new ToolwharfError('CONFLICT', 'This user is not disabled');
      return toView(await findUser(id, ports));
    },
  }),
  route({
    operationId: 'removeUser',
    method: 'delete',
    path: '/api/users/{user}',
    right,
    group,
    summary:
      'Removes a person with their accounts at servers, conversations and saved requests; recorded calls stay. To keep somebody out, disable them: a removed person can sign in again.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle({ params: { user: id }, identity, outgoing }, ports) {
      await findOther(id, identity, ports);
      await ports.storage.users.remove(id);
      await ports.security.recheckAccess(outgoing);
      await removeBelongings(id, ports);
    },
  }),
];

async function findUser(id: string, { storage }: ApiPorts): Promise<User> {
  const user = await storage.users.get(id);
  if (user) return user;
  throw new ToolwharfError('NOT_FOUND', `There is no user '${id}'`);
}

/** Administrators cannot lock themselves out. */
async function findOther(id: string, { caller }: Identity, ports: ApiPorts): Promise<void> {
  await findUser(id, ports);
  if (caller.user === id) throw new ToolwharfError('CONFLICT', 'You cannot disable or remove yourself');
}

async function stopAnswers(id: string, { chat: { conversations } }: ApiPorts): Promise<void> {
  const own = await conversations.list({ owner: userCallerId(id) });
  const running = own.filter(({ status }) => status !== 'idle');
  await Promise.all(running.map((conversation) => conversations.stop(conversation.id)));
}

async function removeBelongings(id: string, { chat: { conversations }, storage, toolbox }: ApiPorts): Promise<void> {
  const owner = userCallerId(id);
  await toolbox.accounts.removeAll(owner);
  for (const conversation of await conversations.list({ owner })) await conversations.remove(conversation.id);
  for (const saved of await storage.savedRequests.list(owner))
    if (saved.owner === owner) await storage.savedRequests.remove(saved.id);
}

function toView({ claimsAt: _claims, sessionVersion: _version, ...user }: User): z.output<typeof userSchema> {
  return user;
}
