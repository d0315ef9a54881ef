import { ToolwharfError } from '../../../contract/errors.ts';
import { accountRoutes as routes } from '../../../contract/routes/accounts.ts';
import { createKeyedMutex } from '../../../toolwharf/kernel/mutex.ts';
import type { AccountInfo } from '../../../toolwharf/servers/accounts/toolbox-accounts.ts';
import { hasRight } from '../../core/auth/identity.ts';
import { giveBrowserCookie } from '../../core/auth/oauth-return.ts';
import { scopeFor } from '../../core/rest/access.ts';
import { type ApiPorts, type ApiRequest, implement } from '../../core/rest/route.ts';
import { createAccountOwner } from './account-owner.ts';

// Counting and adding are one step, so that simultaneous requests stay within the limit.
const perOwner = createKeyedMutex();

export const accountRoutes = [
  implement(routes.listAccounts, {
    async handle(request, ports) {
      const { identity, query } = request;
      if (query.all && !hasRight(identity, 'accounts.manage'))
        throw new ToolwharfError('FORBIDDEN', "Seeing the accounts of others needs the permission 'accounts.manage'");
      const { accounts } = ports.toolbox;
      const { hasServer } = scopeFor(request, ports);
      const owner = await ownerOf(request, ports);
      const found = await accounts.list(query.all ? {} : { owner });
      return {
        servers: accounts.servers().filter(({ server }) => hasServer(server)),
        accounts: found.map((account) => toView(account, owner, hasRight(identity, 'accounts.manage'))),
      };
    },
  }),
  implement(routes.connectAccount, {
    async handle(request, ports) {
      const { body, identity, incoming, setCookie } = request;
      if (!scopeFor(request, ports).hasServer(body.server))
        throw new ToolwharfError('NOT_FOUND', `There is no server '${body.server}' with per-user credentials`);
      const owner = await ownerOf(request, ports);
      const { browser, cookie } = giveBrowserCookie(incoming);
      const connecting = { ...body, owner, ownerName: identity.caller.name, browser };
      const { account, signInUrl } = await perOwner.run(owner, () => ports.toolbox.accounts.connect(connecting));
      if (signInUrl !== undefined) setCookie(cookie);
      return { ...toView(account, owner, hasRight(identity, 'accounts.manage')), signInUrl };
    },
  }),
  implement(routes.changeAccount, {
    access: findOwn,
    async handle({ resource, body, identity }, { toolbox }) {
      return toView(
        await toolbox.accounts.change(resource.id, body),
        resource.owner,
        hasRight(identity, 'accounts.manage'),
      );
    },
  }),
  implement(routes.disconnectAccount, {
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
  const account = hasRight(request.identity, 'accounts.manage')
    ? await ports.toolbox.accounts.get(request.params.account)
    : undefined;
  return account ?? findOwn(request, ports);
}

async function ownerOf({ identity }: Pick<ApiRequest, 'identity'>, { storage }: ApiPorts): Promise<string> {
  const owner = await createAccountOwner(storage.conversations)(identity.caller);
  if (owner === undefined) throw new ToolwharfError('FORBIDDEN', 'This caller cannot have accounts');
  return owner;
}

function toView(account: AccountInfo, owner: string, showsOwner: boolean) {
  const { owner: its, ownerName, ...shown } = account;
  return { ...shown, isOwn: its === owner, ...(showsOwner && { owner: its, ownerName }) };
}

function noAccount(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no account '${id}'`);
}
