import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { inspect } from 'node:util';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect } from 'vitest';
import { ToolwharfError } from '../../packages/contract/errors.ts';
import type { OAuthAuthentication } from '../../packages/contract/settings/oauth-config.ts';
import {
  createOAuth,
  type OAuth,
  type OAuthOptions,
} from '../../packages/toolwharf/connections/authentication/oauth.ts';
import type { OAuthCallback } from '../../packages/toolwharf/connections/authentication/oauth-callback.ts';
import {
  createMemoryOAuthStore,
  type OAuthStore,
} from '../../packages/toolwharf/connections/authentication/oauth-store.ts';
import { createPoolFetch } from '../../packages/toolwharf/connections/http/pool-fetch.ts';
import { createLog } from '../../packages/toolwharf/kernel/log.ts';

export interface Stats {
  readonly metadata: number;
  readonly register: number;
  readonly authorize: number;
  readonly code: number;
  readonly refresh: number;
  readonly refused: number;
  readonly reuse: number;
  readonly calls: number;
  readonly secrets: readonly string[];
  readonly scopes: readonly (string | null)[];
  readonly resources: readonly (string | null)[];
  readonly redirects: readonly string[];
  readonly clients: readonly string[];
  /** The requests for revocation: the kind of token, the hint, and how the client authenticated. */
  readonly revocations: readonly Readonly<Record<'kind' | 'hint' | 'method' | 'client', string>>[];
  /** The access tokens that are valid. */
  readonly validTokens: number;
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The authorization server and the MCP server that trusts it, as a separate process. */
export async function startServers(mode = '', env: Record<string, string> = {}) {
  const file = new URL('../fixtures/authorization-server.mjs', import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, [file], {
    env: { ...env, MODE: mode },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  cleanups.push(async () => {
    child.stdin?.end();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const { issuer, mcp, sse } = JSON.parse(String(line)) as { issuer: string; mcp: string; sse: string };
  const control = (path: string) => fetch(new URL(`/control/${path}`, mcp), { method: 'POST' });
  return {
    issuer,
    mcp,
    sse,
    stats: async () => (await (await fetch(new URL('/control/stats', mcp))).json()) as Stats,
    setMode: (to: string) => control(`mode?to=${to}`),
    expire: () => control('expire'),
  };
}

/** Signs in at once: follows the URL and returns the parameters of the redirect. */
export function createBrowser(change: (params: URLSearchParams) => void = () => {}): OAuthCallback {
  return {
    open: async () => ({
      redirectUrl: 'http://127.0.0.1:1/callback',
      authorize: async (url) => {
        const params = await visit(url);
        change(params);
        return params;
      },
      [Symbol.asyncDispose]: async () => {},
    }),
  };
}

export async function visit(url: string | URL): Promise<URLSearchParams> {
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '').searchParams;
}

export interface Setup extends Partial<OAuthOptions> {
  readonly spec?: Partial<OAuthAuthentication>;
}

export function createTestOAuth(serverUrl: string, { spec, ...options }: Setup = {}) {
  const pool = createPoolFetch();
  const lines: string[] = [];
  const oauth = createOAuth(
    { type: 'oauth', ...spec },
    {
      serverName: 'guarded',
      serverUrl,
      store: createMemoryOAuthStore(),
      fetch: pool.fetch,
      log: createLog((entry) => lines.push(inspect(entry))),
      ...options,
    },
  );
  cleanups.push(() => {
    oauth.close();
    return pool.close();
  });
  return { oauth, lines };
}

export async function connect(serverUrl: string, oauth: OAuth, kind: 'http' | 'sse' = 'http'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const init = { authProvider: oauth.authProvider, fetch: oauth.fetch };
  const url = new URL(serverUrl);
  await client.connect(
    kind === 'http' ? new StreamableHTTPClientTransport(url, init) : new SSEClientTransport(url, init),
  );
  cleanups.push(() => client.close());
  return client;
}

export async function failure(work: Promise<unknown>): Promise<ToolwharfError> {
  const cause = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  expect(cause).toBeInstanceOf(ToolwharfError);
  return cause as ToolwharfError;
}

export const callEcho = (client: Client) => client.callTool({ name: 'echo', arguments: {} });

export function expectNoSecrets(stats: Stats, texts: readonly string[]): void {
  expect(stats.secrets.length > 0 || stats.code === 0).toBe(true);
  for (const text of texts) {
    expect(text).not.toContain('SECRET');
    for (const secret of stats.secrets) expect(text).not.toContain(secret);
  }
}

/** A store with the same records, as another process would have it. */
export function sharing(store: OAuthStore): OAuthStore {
  return {
    get: (key, kind, id) => store.get(key, kind, id),
    set: (key, kind, value, id) => store.set(key, kind, value, id),
    delete: (key, kind, id) => store.delete(key, kind, id),
    take: store.take && ((key, kind) => store.take?.(key, kind) as never),
  };
}

export async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A port that is free now, for a gateway whose redirect URL must be known before it listens. */
export async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
