import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import {
  callEcho,
  connect,
  createBrowser,
  createTestOAuth,
  expectNoSecrets,
  failure,
  listen,
  startServers,
} from '../support/oauth.ts';
import { patienceMs } from '../support/wait-for.ts';
import { startHostile } from './hostile-server.ts';

describe('wrong OAuth issuer, resource mismatch, redirect to another origin with headers', () => {
  test.each([
    ['wrong-issuer', 'metadata that names another issuer'],
    ['wrong-iss', 'an answer that came from another issuer'],
    ['wrong-resource', 'metadata for another resource'],
    ['wrong-state', 'an answer to another question'],
    ['plain-issuer', 'an authorization server over plain http'],
    ['plain-token', 'a token endpoint over plain http'],
  ])('%s: %s ends the sign-in, and no code is redeemed', async (mode) => {
    const servers = await startServers(mode);
    const { oauth, lines } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    expect(await failure(connect(servers.mcp, oauth))).toMatchObject({ code: 'OAUTH_FAILED' });
    const stats = await servers.stats();
    expect(stats.code).toBe(0);
    expectNoSecrets(stats, lines);
  });

  test("the code and the client secret are not sent to the target of a token endpoint's redirect", async () => {
    const elsewhere: string[] = [];
    const other = await listen(
      createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
        elsewhere.push(request.url ?? '');
        response.end('{}');
      }),
    );
    const servers = await startServers('token-redirect', { ELSEWHERE: other });
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    expect(await failure(connect(servers.mcp, oauth))).toMatchObject({ code: 'OAUTH_FAILED' });
    expect(elsewhere).toEqual([]);
  });

  test('the headers of a server are not sent to the target of its redirect', async () => {
    await using other = await startHostile();
    await using turning = await startHostile({
      intercept: (_, response) => {
        response.writeHead(307, { location: other.url }).end();
        return true;
      },
    });
    await using api = await startApi({ servers: {} });
    const server = {
      name: 'turning',
      transport: 'http',
      url: turning.url,
      authentication: { type: 'bearer', token: 'SECRET-OF-OURS' },
      headers: { 'x-api-key': 'SECRET-KEY' },
      retryAttempts: 0,
      timeout: patienceMs,
    };
    const { body } = await api.post('/api/servers/test', server);
    expect(body.ok).toBe(false);
    expect(turning.seen[0]?.headers.authorization).toBe('Bearer SECRET-OF-OURS');
    expect(other.seen).toEqual([]);
  });
});

describe('URL opened by a shell', () => {
  // CVE-2025-6514 (mcp-remote): the authorization endpoint a server named was handed to a shell. CVE-2025-58444 (MCP Inspector):
  // it was opened as a page, whatever its scheme.
  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'a:$(touch /tmp/x)', 'data:text/html,x', 'ms-msdt:/id'])(
    'an authorization endpoint of %s is never opened in a browser',
    async (endpoint) => {
      const opened: string[] = [];
      const servers = await startServers('odd-authorize', { ENDPOINT: endpoint });
      const callback = {
        open: async () => ({
          redirectUrl: 'http://127.0.0.1:1/callback',
          authorize: async (url: string | URL) => {
            opened.push(String(url));
            return new URLSearchParams();
          },
          [Symbol.asyncDispose]: async () => {},
        }),
      };
      const { oauth } = createTestOAuth(servers.mcp, { callback });
      expect(await failure(connect(servers.mcp, oauth))).toMatchObject({ code: 'OAUTH_FAILED' });
      expect(opened).toEqual([]);
    },
  );
});

describe('token passthrough and wrong audience', () => {
  test('a server receives its own credentials and never those of the caller', async () => {
    await using server = await startHostile();
    await using api = await startApi({
      servers: { remote: { url: server.url, authentication: { type: 'bearer', token: 'of-the-server' } } },
    });
    await api.toolbox.servers.connect('remote');
    const key = await api.key(['call', 'read']);
    const headers = { cookie: 'a=CALLERS', 'x-api-key': 'CALLERS', 'x-forwarded-user': 'CALLERS' };
    const { status } = await api.post('/api/tools/mcp_remote_echo/call', {}, { key, headers });
    expect(status).toBe(200);
    const everything = JSON.stringify(server.seen);
    expect(everything).not.toContain(key);
    expect(everything).not.toContain('CALLERS');
    expect(server.seen.every(({ headers: sent }) => sent.authorization === 'Bearer of-the-server')).toBe(true);
  });

  test("a token is requested for its server's resource and sent to no other server", async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    await callEcho(await connect(servers.mcp, oauth));
    const { resources } = await servers.stats();
    expect(new Set(resources)).toEqual(new Set([servers.mcp]));
  });
});
