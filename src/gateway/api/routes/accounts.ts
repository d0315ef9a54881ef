import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { createKeyedMutex } from '../../../kernel/mutex.ts';
import type { AccountInfo } from '../../../servers/accounts/toolbox-accounts.ts';
import { createAccountOwner } from '../../accounts/account-owner.ts';
import { giveBrowserCookie } from '../../auth/oauth-return.ts';
import { scopeFor } from '../access.ts';
import { type ApiPorts, type ApiRequest, route } from '../route.ts';
import { answer, body, isoTime, list } from '../schemas/named.ts';

const label = z.string().min(1).max(60).describe("The owner's name for the account.");

const accountInputSchema = body(
  'AccountInput',
  z.strictObject({
    server: z.string().min(1).max(100),
    label: label.optional().describe('An account of this name gets new credentials. Default: a new account.'),
    values: z
      .record(z.string(), z.string().max(8_192))
      .optional()
      .describe('The values of the fields of the server; none if it uses OAuth.'),
  }),
);

const accountChangeSchema = body(
  'AccountChange',
  z.strictObject({
    label: label.optional(),
    isDefault: z.literal(true).optional().describe('Calls that name no account use this one.'),
  }),
);

const accountSchema = answer(
  'Account',
  z.strictObject({
    id: z.string(),
    server: z.string(),
    label: z.string(),
    state: z
      .enum(['pending', 'connected'])
      .describe('pending: the owner has to sign in, or to enter the credentials again.'),
    isDefault: z.boolean(),
    isOwn: z.boolean().describe("Whether it is the caller's own account."),
    owner: z.string().optional().describe('The id of its owner; for administrators.'),
    ownerName: z.string().optional().describe('For administrators.'),
    createdAt: isoTime,
  }),
);

const connectedAccountSchema = answer(
  'ConnectedAccount',
  accountSchema.extend({
    signInUrl: z
      .string()
      .optional()
      .describe('Where the person signs in, in the browser that sent this request: it got a cookie for that.'),
  }),
);

const personalServerSchema = answer(
  'PersonalServer',
  z.strictObject({
    server: z.string(),
    description: z.string().optional(),
    fields: list(z.string()).describe('The values that a person enters; empty if they sign in with OAuth.'),
  }),
);

const accountListSchema = answer(
  'AccountList',
  z.strictObject({
    servers: list(personalServerSchema).describe('The servers at which people have accounts of their own.'),
    accounts: list(accountSchema),
  }),
);

const group = 'accounts';
const params = z.object({ account: z.string() });
// Counting and adding are one step, so that simultaneous requests stay within the limit.
const perOwner = createKeyedMutex();

export const accountRoutes = [
  route({
    operationId: 'listAccounts',
    method: 'get',
    path: '/api/accounts',
    right: 'read',
    group,
    summary: "Lists the caller's accounts at servers with per-user credentials; with `all`, those of everybody.",
    query: z.object({ all: z.stringbool().optional().describe('The accounts of everybody; administrators only.') }),
    answer: accountListSchema,
    errors: ['FORBIDDEN'],
    async handle(request, ports) {
      const { identity, query } = request;
      if (query.all && !identity.isAdmin)
        throw new ToolwharfError('FORBIDDEN', 'Only administrators see the accounts of others');
      const { accounts } = ports.toolbox;
      const { hasServer } = scopeFor(request, ports);
      const owner = await ownerOf(request, ports);
      const found = await accounts.list(query.all ? {} : { owner });
      return {
        servers: accounts.servers().filter(({ server }) => hasServer(server)),
        accounts: found.map((account) => toView(account, owner, identity.isAdmin)),
      };
    },
  }),
  route({
    operationId: 'connectAccount',
    recorded: true,
    method: 'post',
    path: '/api/accounts',
    right: 'call',
    group,
    summary: 'Connects an account of the caller with the values it sends, or starts a sign-in and returns its URL.',
    body: accountInputSchema,
    answer: connectedAccountSchema,
    status: 201,
    errors: ['NOT_FOUND', 'LIMIT_REACHED', 'SERVER_UNREACHABLE', 'SERVER_DISCONNECTED', 'OAUTH_FAILED'],
    async handle(request, ports) {
      const { body, identity, incoming, setCookie } = request;
      if (!scopeFor(request, ports).hasServer(body.server))
        throw new ToolwharfError('NOT_FOUND', `There is no server '${body.server}' with per-user credentials`);
      const owner = await ownerOf(request, ports);
      const { browser, cookie } = giveBrowserCookie(incoming);
      const connecting = { ...body, owner, ownerName: identity.caller.name, browser };
      const { account, signInUrl } = await perOwner.run(owner, () => ports.toolbox.accounts.connect(connecting));
      if (signInUrl !== undefined) setCookie(cookie);
      return { ...toView(account, owner, identity.isAdmin), signInUrl };
    },
  }),
  route({
    operationId: 'changeAccount',
    recorded: true,
    method: 'put',
    path: '/api/accounts/{account}',
    right: 'call',
    group,
    summary: "Renames one of the caller's accounts, or makes it the one that calls use.",
    params,
    body: accountChangeSchema,
    answer: accountSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    access: findOwn,
    async handle({ resource, body, identity }, { toolbox }) {
      return toView(await toolbox.accounts.change(resource.id, body), resource.owner, identity.isAdmin);
    },
  }),
  route({
    operationId: 'disconnectAccount',
    recorded: true,
    method: 'delete',
    path: '/api/accounts/{account}',
    right: 'call',
    group,
    summary:
      'Deletes an account with its credentials, revokes its tokens, and ends its calls: an own one, or anyone’s for administrators.',
    params,
    errors: ['NOT_FOUND'],
    access: findRemovable,
    async handle({ resource }, { toolbox }) {
      if (!(await toolbox.accounts.remove(resource.id))) throw noAccount(resource.id);
    },
  }),
];

type AccountRequest = Pick<ApiRequest<{ readonly account: string }>, 'params' | 'identity'>;

async function findOwn(request: AccountRequest, ports: ApiPorts): Promise<AccountInfo> {
  const account = await ports.toolbox.accounts.get(request.params.account);
  if (account && account.owner === (await ownerOf(request, ports))) return account;
  throw noAccount(request.params.account);
}

/** Administrators can delete an account of anyone. They never see its secrets, and cannot change it. */
async function findRemovable(request: AccountRequest, ports: ApiPorts): Promise<AccountInfo> {
  const account = request.identity.isAdmin ? await ports.toolbox.accounts.get(request.params.account) : undefined;
  return account ?? findOwn(request, ports);
}

async function ownerOf({ identity }: Pick<ApiRequest, 'identity'>, { storage }: ApiPorts): Promise<string> {
  const owner = await createAccountOwner(storage.conversations)(identity.caller);
  if (owner === undefined) throw new ToolwharfError('FORBIDDEN', 'This caller cannot have accounts');
  return owner;
}

function toView(account: AccountInfo, owner: string, isAdmin: boolean) {
  const { owner: its, ownerName, ...shown } = account;
  return { ...shown, isOwn: its === owner, ...(isAdmin && { owner: its, ownerName }) };
}

function noAccount(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no account '${id}'`);
}
