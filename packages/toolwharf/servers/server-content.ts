import { ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { AccountUse } from '../connections/accounts/account-store.ts';
import type { Connection } from '../connections/connection.ts';
import type { ListKind } from '../connections/discovery.ts';
import type { Exchange } from '../connections/exchange.ts';
import { toAbortSignal } from '../kernel/abort-source.ts';
import type { Caller } from '../kernel/tool.ts';

/** An item of a server's list as the server sent it, with the server's name. */
export interface Offered {
  readonly server: string;
  readonly item: JsonObject;
}

/** `caller`: whose account is used at a server with per-user credentials, unless `account` says it. */
type ContentOptions = Pick<Exchange, 'signal' | 'host' | 'account'> & { readonly caller?: Caller };

/** Resources and prompts of servers. Answers are passed through unchanged. */
export interface ServerContent {
  /** Sends any request to a server and returns the raw answer, within the server's timeout. */
  request(server: string, method: string, params: JsonObject, options?: ContentOptions): Promise<JsonObject>;
  readonly resources: {
    list(server?: string): readonly Offered[];
    listTemplates(server?: string): readonly Offered[];
    /**
     * Subscribes to changes of one or several resources, which arrive as `server.notified` events; the returned function
     * unsubscribes. Subscriptions of a caller are recorded in the journal.
     */
    watch(
      server: string,
      uris: string | readonly string[],
      options?: { readonly caller?: Caller },
    ): Promise<() => Promise<void>>;
  };
  readonly prompts: {
    list(server?: string): readonly Offered[];
  };
  /** Sets the minimum level of the server's log messages; legacy era. */
  setLogLevel(server: string, level: string, options?: ContentOptions): Promise<void>;
}

export function createServerContent(
  find: (server: string) => Connection | undefined,
  all: () => readonly Connection[],
  accountOf: (server: string, caller: Caller) => Promise<AccountUse> | undefined,
): ServerContent {
  function connectionOf(server: string): Connection {
    const connection = find(server);
    if (connection) return connection;
    throw new ToolwharfError('NOT_FOUND', `There is no server '${server}'`, { data: { server } });
  }

  function offered(kind: ListKind, server?: string): readonly Offered[] {
    const connections = server === undefined ? all() : [connectionOf(server)];
    return connections.flatMap((connection) => {
      const wanted = kind === 'prompts' ? connection.spec.prompts : undefined;
      const items = connection.lists.get(kind)?.items ?? [];
      return items
        .filter((item) => wanted === undefined || wanted.includes(item.name as string))
        .map((item) => ({ server: connection.spec.name, item }));
    });
  }

  async function request(
    server: string,
    method: string,
    params: JsonObject,
    { caller, ...options }: ContentOptions = {},
  ): Promise<JsonObject> {
    const connection = connectionOf(server);
    const account = options.account ?? (caller && (await accountOf(server, caller)));
    const deadline = AbortSignal.timeout(connection.spec.timeoutMs);
    const signal = options.signal ? AbortSignal.any([toAbortSignal(options.signal), deadline]) : deadline;
    try {
      return connection.redact(await connection.request(method, params, { ...options, account, signal }));
    } catch (cause) {
      if (options.signal?.aborted) throw new ToolwharfError('CALL_CANCELLED', `${method} was cancelled`, { cause });
      if (!deadline.aborted) throw cause;
      const limit = `${connection.spec.timeoutMs} ms`;
      throw new ToolwharfError('CALL_TIMED_OUT', `Server '${server}' did not answer ${method} within ${limit}`, {
        cause,
      });
    }
  }

  return {
    request,
    resources: {
      list: (server) => offered('resources', server),
      listTemplates: (server) => offered('resourceTemplates', server),
      watch: async (server, uris, { caller } = {}) =>
        connectionOf(server).watchResources([uris].flat(), caller && (await accountOf(server, caller))),
    },
    prompts: {
      list: (server) => offered('prompts', server),
    },
    async setLogLevel(server, level, options) {
      await request(server, 'logging/setLevel', { level }, options);
    },
  };
}

/** A notification that a server sent. */
export interface ServerNotice {
  readonly server: string;
  readonly method: string;
  readonly params: JsonObject;
  /** The running calls that it may belong to; one if that is known. */
  readonly callIds: readonly string[];
  /** The owner of the account that it was sent to, at a server with per-user credentials. It is for nobody else. */
  readonly owner?: string;
}
