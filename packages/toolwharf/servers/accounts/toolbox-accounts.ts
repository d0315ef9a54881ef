import { ToolwharfError } from '../../../contract/errors.ts';
import { containsReference } from '../../config/account-fields.ts';
import type { Account, AccountFilter, AccountStore, ServerAccounts } from '../../connections/accounts/account-store.ts';
import type { Connection } from '../../connections/connection.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import { type Clock, isoTime } from '../../kernel/clock.ts';
import { createId } from '../../kernel/create-id.ts';
import type { ServerSet } from '../server-set.ts';

/** An account without its secrets. */
export type AccountInfo = Pick<
  Account,
  'id' | 'server' | 'owner' | 'ownerName' | 'label' | 'state' | 'isDefault' | 'createdAt'
>;

/** A server at which people have accounts. */
export interface PersonalServer {
  readonly server: string;
  readonly description?: string;
  /** The values that a person enters; none if they sign in with OAuth. */
  readonly fields: readonly string[];
}

export interface ConnectAccount {
  readonly server: string;
  readonly owner: string;
  readonly ownerName?: string;
  /** An account of this name gets new credentials; a new account is created if there is none. */
  readonly label?: string;
  /** The values of the server's fields. */
  readonly values?: Readonly<Record<string, string>>;
  /** A secret of the browser, without which the sign-in cannot be finished. */
  readonly browser?: string;
}

/** The accounts of people at servers with per-user credentials. */
export interface ToolboxAccounts {
  servers(): readonly PersonalServer[];
  list(filter?: AccountFilter): Promise<readonly AccountInfo[]>;
  get(id: string): Promise<AccountInfo | undefined>;
  /** Connects an account. Returns the URL at which the person must sign in, if the server uses OAuth. */
  connect(request: ConnectAccount): Promise<{ readonly account: AccountInfo; readonly signInUrl?: string }>;
  /** Completes a sign-in in the browser that started it; undefined if no account waits for it. */
  finishSignIn(params: URLSearchParams, browser: string | undefined): Promise<AccountInfo | undefined>;
  change(id: string, change: { readonly label?: string; readonly isDefault?: true }): Promise<AccountInfo>;
  /** Deletes an account with its credentials, and ends its calls; false if there is no such account. */
  remove(id: string): Promise<boolean>;
  /** Deletes all accounts of an owner, who is gone. */
  removeAll(owner: string): Promise<void>;
  /** Accounts were changed by another replica. */
  reload(): Promise<void>;
}

export interface ToolboxAccountsPorts {
  readonly servers: Pick<ServerSet, 'get' | 'all'>;
  readonly store: AccountStore;
  readonly clock: Clock;
  /** Called after each change, here or elsewhere. */
  readonly onChanged: () => void;
}

const maxAccounts = 10;
const maxExplained = 50;
const maxLabelLength = 60;
const maxValueLength = 8_192;

export function createToolboxAccounts(ports: ToolboxAccountsPorts): ToolboxAccounts {
  const { servers, store, clock, onChanged } = ports;

  function personalServer(name: string): Connection & { readonly accounts: ServerAccounts } {
    const connection = servers.get(name);
    if (connection?.accounts) return connection as Connection & { readonly accounts: ServerAccounts };
    throw new ToolwharfError('NOT_FOUND', `There is no server '${name}' with per-user credentials`);
  }

  async function save(account: Account): Promise<AccountInfo> {
    await store.put(account);
    onChanged();
    await servers.get(account.server)?.accounts?.update();
    return toInfo(account);
  }

  /** Connects an account with values that the person entered. They are stored only if the server accepts them. */
  async function connectWithValues(account: Account, accounts: ServerAccounts): Promise<AccountInfo> {
    try {
      await accounts.open(account);
    } catch (cause) {
      if (!(cause instanceof ToolwharfError) || !isRefusal(cause)) throw cause;
      const message = `Server '${account.server}' did not accept these credentials: check them and try again`;
      throw new ToolwharfError('REQUEST_INVALID', message);
    }
    return save({ ...account, state: 'connected' });
  }

  async function connectWithOAuth(account: Account, accounts: ServerAccounts, isNew: boolean) {
    await save(account);
    try {
      await accounts.open(account);
      return { account: await save({ ...account, state: 'connected' }) };
    } catch (cause) {
      const signInUrl = cause instanceof ToolwharfError ? cause.data.authorizationUrl : undefined;
      if (typeof signInUrl === 'string') return { account: toInfo(account), signInUrl };
      if (isNew) await remove(account.id);
      throw cause;
    }
  }

  async function remove(id: string): Promise<boolean> {
    const account = await store.get(id);
    if (!account || !(await store.remove(id))) return false;
    await servers.get(account.server)?.accounts?.forget(account);
    if (account.isDefault) {
      const { server, owner } = account;
      const [next] = (await store.list({ server, owner })).filter(({ state }) => state === 'connected');
      if (next) await store.put({ ...next, isDefault: true });
    }
    onChanged();
    await servers.get(account.server)?.accounts?.update();
    return true;
  }

  /** The account that a redirect belongs to, if it is one of these. */
  async function findReturning(waiting: readonly Account[], params: URLSearchParams): Promise<Account | undefined> {
    for (const account of waiting)
      if (await servers.get(account.server)?.accounts?.isReturning(account, params)) return account;
    return undefined;
  }

  /** The accounts whose owners have not signed in yet. */
  async function listWaiting(): Promise<readonly Account[]> {
    const personal = servers.all().filter(({ accounts }) => accounts?.fields.length === 0);
    const found = personal.map(({ spec }) => store.list({ server: spec.name, state: 'pending' }));
    return (await Promise.all(found)).flat();
  }

  return {
    servers: () =>
      servers.all().flatMap(({ spec: { name, description, enabled }, accounts }) => {
        return accounts && enabled ? [{ server: name, description, fields: accounts.fields }] : [];
      }),
    list: async (filter) => (await store.list(filter)).map(toInfo),
    async get(id) {
      const account = await store.get(id);
      return account && toInfo(account);
    },

    async connect({ server, owner, ownerName, label, values, browser }) {
      const { accounts } = personalServer(server);
      const own = await store.list({ server, owner });
      const name = toLabel(label, own);
      const before = own.find((account) => account.label === name);
      if (!before && own.length >= maxAccounts)
        throw new ToolwharfError('LIMIT_REACHED', `You have ${maxAccounts} accounts at server '${server}' already`);
      const account: Account = {
        ...(before ?? { id: createId(), createdAt: isoTime(clock.now()) }),
        ...{ server, owner, ownerName, label: name, address: accounts.address },
        state: 'pending',
        isDefault: before?.isDefault ?? !own.some(({ isDefault }) => isDefault),
        values: checkValues(values, accounts.fields),
        browser: browser === undefined ? undefined : hashOf(browser),
      };
      if (accounts.fields.length > 0) return { account: await connectWithValues(account, accounts) };
      return connectWithOAuth(account, accounts, before === undefined);
    },

    async finishSignIn(params, browser) {
      // Whoever starts a sign-in could otherwise send the URL to somebody else and get that person's credentials.
      const isOwn = (account: Account) => browser !== undefined && account.browser === hashOf(browser);
      const waiting = await listWaiting();
      const account = await findReturning(waiting.filter(isOwn), params);
      if (!account) {
        // Anybody can send such a request, so only some accounts are compared to explain the refusal.
        const others = waiting.filter((other) => !isOwn(other)).slice(-maxExplained);
        if (!(await findReturning(others, params))) return undefined;
        throw new ToolwharfError(
          'FORBIDDEN',
          'This sign-in was started in another browser. Open the page Accounts in this browser and connect there',
        );
      }
      const { accounts } = personalServer(account.server);
      await accounts.finishSignIn(account, params);
      // The tokens are stored: a server that is unavailable now is connected later.
      await accounts.open(account).catch((cause) => {
        if (cause instanceof ToolwharfError && isRefusal(cause)) throw cause;
      });
      return save({ ...account, state: 'connected', browser: undefined });
    },

    async change(id, { label, isDefault }) {
      const account = await store.get(id);
      if (!account) throw new ToolwharfError('NOT_FOUND', `There is no account '${id}'`);
      const { server, owner } = account;
      const others = (await store.list({ server, owner })).filter((other) => other.id !== id);
      if (label !== undefined && others.some((other) => other.label === label))
        throw new ToolwharfError('CONFLICT', `You have another account '${label}' at server '${server}'`);
      const name = label === undefined ? account.label : toLabel(label, others);
      return save({ ...account, label: name, isDefault: isDefault ?? account.isDefault });
    },

    remove,

    async removeAll(owner) {
      for (const { id } of await store.list({ owner })) await remove(id);
    },

    async reload() {
      onChanged();
      await Promise.all(servers.all().map(({ accounts }) => accounts?.update()));
    },
  };
}

function toInfo(account: Account): AccountInfo {
  const { id, server, owner, ownerName, label, state, isDefault, createdAt } = account;
  return { id, server, owner, ownerName, label, state, isDefault, createdAt };
}

function toLabel(label: string | undefined, own: readonly Account[]): string {
  if (label === undefined) {
    for (let number = 1; ; number++) {
      const next = number === 1 ? 'Account' : `Account ${number}`;
      if (!own.some((account) => account.label === next && account.state === 'connected')) return next;
    }
  }
  const text = label.trim();
  if (text === '' || text.length > maxLabelLength || /\p{Cc}/u.test(text))
    throw new ToolwharfError(
      'REQUEST_INVALID',
      `The name of an account has 1 to ${maxLabelLength} printable characters`,
    );
  return text;
}

/** The values of exactly these fields. */
function checkValues(
  values: Readonly<Record<string, string>> | undefined,
  fields: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const given = Object.entries(values ?? {});
  const unknown = given.map(([name]) => name).find((name) => !fields.includes(name));
  const missing = fields.find((name) => !given.some(([key, value]) => key === name && value.trim() !== ''));
  if (unknown !== undefined || missing !== undefined) {
    const message =
      fields.length === 0
        ? 'This server needs a sign-in, and no values'
        : `Enter ${fields.join(', ')}, and no other values`;
    throw new ToolwharfError('REQUEST_INVALID', message);
  }
  for (const [name, value] of given) {
    if (value.length > maxValueLength || /\p{Cc}/u.test(value) || containsReference(value))
      throw new ToolwharfError('REQUEST_INVALID', `The value of ${name} is too long, or contains a line break or \${`);
  }
  return given.length === 0 ? undefined : Object.fromEntries(given.map(([name, value]) => [name, value.trim()]));
}

function isRefusal({ code, data }: ToolwharfError): boolean {
  return code === 'OAUTH_REQUIRED' || data.httpStatus === 401 || data.httpStatus === 403;
}
