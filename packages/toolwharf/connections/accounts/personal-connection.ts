import { ConnectionError, messageOf, ToolwharfError, toToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { ServerSpec } from '../../../contract/settings/config.ts';
import { accountFieldsOf, withAccountValues } from '../../config/account-fields.ts';
import { toAbortSignal } from '../../kernel/abort-source.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import { type Clock, isoTime } from '../../kernel/clock.ts';
import { exactly } from '../../kernel/exact-json.ts';
import type { Log } from '../../kernel/log.ts';
import { createMutex } from '../../kernel/mutex.ts';
import { type OAuthRecords, type OAuthStore, oauthServerKey } from '../authentication/oauth-store.ts';
import type { Connection, ConnectionHooks } from '../connection.ts';
import type { ListKind } from '../discovery.ts';
import { toServerAddress } from '../protocol-cache.ts';
import type { CachedList } from '../server-lists.ts';
import type { ConnectionStatus } from '../status.ts';
import { createAccountPool } from './account-pool.ts';
import type { Account, AccountStore, AccountUse, ServerAccounts } from './account-store.ts';

export interface PersonalConnectionOptions {
  readonly spec: ServerSpec;
  readonly hooks: Pick<ConnectionHooks, 'onStatus' | 'onList'>;
  /** A server notified one account. Nobody else may get the notification. */
  readonly onNotification: (owner: string, method: string, params: JsonObject) => void;
  readonly store: AccountStore;
  readonly oauth: OAuthStore;
  /** Creates the connection of one account. */
  readonly openLocal: (spec: ServerSpec, hooks: ConnectionHooks, oauth: OAuthStore) => Connection;
  readonly clock: Clock;
  readonly log: Log;
}

/** Lists of definitions, which are the same for every account. Resources and skills are data of one account. */
const sharedLists: readonly ListKind[] = ['tools', 'prompts', 'resourceTemplates'];

/** The parts of a tool that must be the same for every account. */
const comparedParts = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

const maxTries = 5;
const retryMs = 60_000;

/** The connection to a server with per-user credentials: one session for each account, never shared between owners. */
export function createPersonalConnection(options: PersonalConnectionOptions): Connection {
  const { spec, hooks, store, clock, log } = options;
  const address = hashOf(toServerAddress(spec));
  const oauthStores = new Map<string, OAuthStore>();
  const lists = new Map<ListKind, CachedList>();
  const inTurn = createMutex();
  let isWanted = false;
  let retry: NodeJS.Timeout | undefined;
  /** The log level of all sessions, those that are opened later included. */
  let logLevel: unknown;
  let status: ConnectionStatus = { state: 'disconnected', since: isoTime(clock.now()), failures: 0 };
  /** The account whose session reads the shared lists. */
  let discovery: { readonly account: string; readonly connection: Connection; release(): void } | undefined;

  const pool = createAccountPool({ spec, clock, create });

  function oauthOf({ id }: Account): OAuthStore {
    const known = oauthStores.get(id) ?? accountOAuthStore(options.oauth, id);
    oauthStores.set(id, known);
    return known;
  }

  function create(account: Account): Connection {
    const connection: Connection = options.openLocal(
      withAccountValues(spec, account.values ?? {}),
      {
        onStatus(next, before) {
          if (discovery?.connection === connection) setStatus(next);
          const isNew = next.state === 'connected' && before !== 'degraded' && logLevel !== undefined;
          if (isNew) connection.request('logging/setLevel', { level: logLevel }).catch(() => {});
        },
        async onList(kind, isAnnounced) {
          if (discovery?.connection === connection) await shareList(connection, kind, isAnnounced);
        },
        onNotification: (method, params) => options.onNotification(account.owner, method, params),
      },
      oauthOf(account),
    );
    return connection;
  }

  function setStatus(next: ConnectionStatus): void {
    const before = status;
    // The sign-in page belongs to the owner of the account.
    const { signInUrl: _url, ...shown } = next;
    status = shown;
    if (before.state !== shown.state || before.reason !== shown.reason) hooks.onStatus(shown, before.state);
  }

  function fail(error: ToolwharfError): void {
    const { lastConnectedAt, failures } = status;
    const since = isoTime(clock.now());
    const { message: reason, code } = error;
    setStatus({ state: 'error', reason, code, since, failures: failures + 1, lastConnectedAt });
  }

  async function shareList(connection: Connection, kind: ListKind, isAnnounced: boolean): Promise<void> {
    const list = sharedLists.includes(kind) ? connection.lists.get(kind) : undefined;
    if (!list) return;
    lists.set(kind, list);
    await hooks.onList(kind, isAnnounced);
  }

  const isUsable = (account: Account) => account.state === 'connected' && account.address === address;

  function endDiscovery(): void {
    discovery?.release();
    discovery = undefined;
    for (const [kind, list] of lists) lists.set(kind, { ...list, stale: true });
  }

  /** Reads the shared lists with the oldest account that can be connected. */
  async function discover(signal?: AbortSignal): Promise<void> {
    clearTimeout(retry);
    endDiscovery();
    const accounts = (await store.list({ server: spec.name })).filter(isUsable);
    let failure = noAccounts(spec.name);
    for (const account of accounts.slice(0, maxTries)) {
      try {
        const { connection, release } = await pool.hold(account, signal);
        discovery = { account: account.id, connection, release };
        for (const kind of sharedLists) await shareList(connection, kind, false);
        return setStatus(connection.status);
      } catch (cause) {
        failure = toToolwharfError(cause);
        log.warning(
          'accounts.not-connected',
          `An account at server '${spec.name}' could not be used: ${messageOf(cause)}`,
          {
            server: spec.name,
          },
        );
      }
    }
    fail(failure);
    if (isWanted && accounts.length > 0) retry = setTimeout(() => void update(), retryMs).unref();
    throw failure;
  }

  async function update(): Promise<void> {
    await inTurn(async () => {
      if (!isWanted) return;
      const usable = new Set((await store.list({ server: spec.name })).filter(isUsable).map(({ id }) => id));
      for (const id of oauthStores.keys()) if (!usable.has(id)) await closeAccount(id);
      if (discovery?.connection.status.state !== 'connected') await discover().catch(() => {});
    });
  }

  /** Ends the session of an account, which was removed or must sign in again. Its running requests fail. */
  async function closeAccount(id: string): Promise<void> {
    if (discovery?.account === id) endDiscovery();
    oauthStores.delete(id);
    await pool.close(id);
  }

  function assertWanted(): void {
    if (isWanted) return;
    const data = { server: spec.name, reached: false };
    throw new ConnectionError('SERVER_DISCONNECTED', `Not connected to MCP server: ${spec.name}`, { data });
  }

  /** Reads the account again: another replica may have removed it. */
  async function accountOf(use: AccountUse | undefined): Promise<Account> {
    assertWanted();
    const account = use && (await store.get(use.id));
    const isOwn = account?.owner === use?.owner && account?.server === spec.name;
    if (account && isOwn && isUsable(account)) return account;
    throw new ToolwharfError('ACCOUNT_REQUIRED', `The account at server '${spec.name}' is no longer connected`, {
      data: { server: spec.name, reached: false },
    });
  }

  async function withAccount<Value>(
    use: AccountUse | undefined,
    signal: AbortSignal | undefined,
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value> {
    const account = await accountOf(use);
    try {
      return await pool.use(account, work, signal);
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
      const current = await store.get(account.id);
      if (current) await store.put({ ...current, state: 'pending' });
      void update();
      const message = `Server '${spec.name}' no longer accepts the account '${account.label}': connect it again`;
      throw new ToolwharfError('ACCOUNT_REQUIRED', message, { data: { server: spec.name, reached: false } });
    }
  }

  /** A server must not offer one person another tool than the one that was reviewed and pinned. */
  function assertSameTool(connection: Connection, name: string): void {
    const find = (list: CachedList | undefined) => list?.items.find((item) => item.name === name);
    const [shared, own] = [find(lists.get('tools')), find(connection.lists.get('tools'))];
    if (!own) {
      const message = `Server '${spec.name}' does not offer the tool '${name}' to this account`;
      throw new ToolwharfError('TOOL_NAME_INVALID', message, { data: { server: spec.name, reached: false } });
    }
    if (own === shared || (shared && partsHash(shared) === partsHash(own))) return;
    const message = `Server '${spec.name}' offers this account another definition of '${name}' than the accepted one`;
    throw new ToolwharfError('TOOL_CHANGED', message, { data: { server: spec.name, reached: false } });
  }

  const accounts: ServerAccounts = {
    fields: accountFieldsOf(spec),
    address,
    async open(account) {
      assertWanted();
      await pool.close(account.id);
      await pool.use(account, async () => {});
    },
    async isReturning(account, params) {
      const { target } = spec;
      if (target.transport === 'stdio' || target.transport === 'plugin') return false;
      // Loaded on demand: the OAuth modules load the SDK.
      const { findPending } = await import('../authentication/oauth-flow.ts');
      const pending = { store: oauthOf(account), serverKey: oauthServerKey(spec.name, target.url) };
      return (await findPending(pending, params)) !== undefined;
    },
    async finishSignIn(account, params) {
      const connection = create(account);
      try {
        await connection.finishSignIn(params);
      } finally {
        await connection.disconnect();
      }
    },
    async forget(account) {
      await closeAccount(account.id);
      const connection = create(account);
      await connection.signOut();
      await connection.disconnect();
      oauthStores.delete(account.id);
    },
    update,
  };

  return {
    spec,
    accounts,
    get status() {
      return status;
    },
    get dropped() {
      return discovery?.connection.dropped ?? { replies: 0, progress: 0 };
    },
    lists: { get: (kind) => lists.get(kind) },
    stderr: () => discovery?.connection.stderr() ?? [],
    // Requests return values that the connection of their account has redacted.
    redact: (value) => value,

    async connect({ signal } = {}) {
      isWanted = true;
      if (status.state === 'disconnected') setStatus({ ...status, state: 'connecting', since: isoTime(clock.now()) });
      await inTurn(async () => {
        if (discovery?.connection.status.state !== 'connected') await discover(signal);
      });
    },
    async disconnect() {
      isWanted = false;
      clearTimeout(retry);
      discovery = undefined;
      await pool.closeAll();
      lists.clear();
      setStatus({ state: 'disconnected', since: isoTime(clock.now()), failures: 0 });
    },

    async request(method, params, { account, ...requestOptions } = {}) {
      // The level holds for everybody.
      if (method === 'logging/setLevel' && !account) {
        logLevel = params.level;
        await Promise.allSettled(pool.all().map((connection) => connection.request(method, params, requestOptions)));
        return {};
      }
      return withAccount(account, requestOptions.signal && toAbortSignal(requestOptions.signal), async (connection) =>
        connection.redact(await connection.request(method, params, requestOptions)),
      );
    },
    callTool: (tool, args, call) =>
      withAccount(call.account, toAbortSignal(call.signal), async (connection) => {
        assertSameTool(connection, tool.name);
        return connection.callTool(tool, args, call);
      }),
    async refresh(kind) {
      if (discovery) await discovery.connection.refresh(kind);
      else await update();
    },
    async watchResources(uris, use) {
      const { connection, release } = await pool.hold(await accountOf(use));
      try {
        const unwatch = await connection.watchResources(uris);
        return async () => {
          release();
          await unwatch();
        };
      } catch (cause) {
        release();
        throw cause;
      }
    },
    notifyRootsChanged(clientSession) {
      for (const connection of pool.all()) connection.notifyRootsChanged?.(clientSession);
    },
    finishSignIn: async () => false,
    signInState: async () => undefined,
    signOut: async () => {},
  };
}

function isRefusal(cause: unknown): boolean {
  return cause instanceof ToolwharfError && (cause.code === 'OAUTH_REQUIRED' || cause.data.httpStatus === 401);
}

function noAccounts(server: string): ToolwharfError {
  return new ToolwharfError(
    'ACCOUNT_REQUIRED',
    `Nobody has connected an account yet: connect one in the app under Accounts, or with \`toolwharf accounts connect ${server}\``,
    { data: { server, reached: false } },
  );
}

function partsHash(item: JsonObject): string {
  return hashOf(Object.fromEntries(comparedParts.map((part) => [part, exactly(item[part])])));
}

/**
 * The sign-ins of one account. Its tokens and pending sign-ins are its own. The registration of Toolwharf at the
 * authorization server is the same for all accounts.
 */
function accountOAuthStore(store: OAuthStore, account: string): OAuthStore {
  const ownKey = (serverKey: string) => `${serverKey} account ${account}`;
  const keyFor = (serverKey: string, kind: keyof OAuthRecords) =>
    kind === 'tokens' || kind === 'pending' ? ownKey(serverKey) : serverKey;
  return {
    get: (serverKey, kind, id) => store.get(keyFor(serverKey, kind), kind, id),
    set: (serverKey, kind, record, id) => store.set(keyFor(serverKey, kind), kind, record, id),
    delete: (serverKey, kind, id) =>
      kind === undefined ? store.delete(ownKey(serverKey)) : store.delete(keyFor(serverKey, kind), kind, id),
    take: store.take && ((serverKey, kind) => store.take?.(keyFor(serverKey, kind), kind) as never),
    withLock: store.withLock && ((serverKey, work) => store.withLock?.(ownKey(serverKey), work) as never),
  };
}
