import { access } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from '../../packages/gateway/features/all-routes.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { initializeParams } from '../support/raw-mcp.ts';
import { rpcHeaders, send } from './raw-http.ts';

const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams });
const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

let open: TestApi;
let locked: TestApi;
beforeAll(async () => {
  open = await startApi({ servers: { files: fixture('legacy') } });
  locked = await startApi({ servers: { files: fixture('legacy') }, gateway: { requireAuthentication: true } });
});
afterAll(() => Promise.all([open.close(), locked.close()]));

/** A program that creates a file when it runs. */
const toucher = (file: string) => ({
  name: 'evil',
  transport: 'stdio',
  command: process.execPath,
  args: ['-e', `require('fs').writeFileSync(${JSON.stringify(file)}, 'ran')`],
});

describe('unauthenticated spawn over localhost HTTP', () => {
  // CVE-2025-49596 (MCP Inspector), CVE-2026-23744 (MCPJam Inspector): anyone who reached the port could start programs.
  test.each(['/api/servers', '/api/servers/test'])('POST %s without authentication starts no process', async (path) => {
    await using directory = await tempDir();
    const file = directory.file('ran');
    for (const api of [open, locked]) {
      const { status } = await api.post(path, toucher(file));
      expect([401, 403]).toContain(status);
    }
    expect(open.toolbox.servers.get('evil')).toBeUndefined();
    expect(await exists(file)).toBe(false);
    // An administrator's request runs the program, which proves that this test can fail.
    await open.post('/api/servers/test', toucher(file), { key: open.adminToken });
    expect(await exists(file)).toBe(true);
  });

  test('the MCP endpoint accepts no server address or command from clients', async () => {
    await using directory = await tempDir();
    const file = directory.file('ran');
    const query = new URLSearchParams({
      command: process.execPath,
      args: `-e ${file}`,
      transportType: 'stdio',
      url: 'http://127.0.0.1:1',
    });
    for (const path of [`/mcp?${query}`, `/sse?${query}`, `/stdio?${query}`, `/mcp/default?${query}`]) {
      await send(open.url, path, { headers: { host: '127.0.0.1', accept: 'text/event-stream' } });
      await send(open.url, path, { method: 'POST', headers: { ...rpcHeaders, host: '127.0.0.1' }, body: initialize });
    }
    expect(open.toolbox.servers.list().map(({ name }) => name)).toEqual(['files']);
    expect(await exists(file)).toBe(false);
  });
});

describe('config or "test connection" that executes without the right', () => {
  // CVE-2026-23744: testing a connection ran its command for unauthenticated clients.
  test.each([
    ['read', ['read']],
    ['call', ['call']],
    ['read and call', ['read', 'call']],
  ])('a key with the right to %s gets nothing started, stored or looked up', async (_, rights) => {
    await using directory = await tempDir();
    const file = directory.file('ran');
    const key = await locked.key(rights);
    const text = JSON.stringify({ mcpServers: { evil: { command: 'node', args: ['-e', '1'] } } });
    const attempts = [
      await locked.post('/api/servers', toucher(file), { key }),
      await locked.post('/api/servers/test', toucher(file), { key }),
      await locked.post('/api/servers/import', { text }, { key }),
      await locked.put('/api/servers/files', toucher(file), { key }),
      await locked.post('/api/servers/files/connect', undefined, { key }),
      await locked.post(
        '/api/providers/test',
        { name: 'x', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1' },
        { key },
      ),
    ];
    expect(attempts.map(({ status }) => status)).toEqual(attempts.map(() => 403));
    expect(await exists(file)).toBe(false);
  });
});

describe('DNS rebinding and missing Origin', () => {
  // CVE-2025-66414 (TypeScript SDK), CVE-2025-66416 (Python SDK), CVE-2025-9611 (Playwright MCP): a page reached a local server
  // under its own host name.
  test.each([
    ['a name that was rebound', { host: 'evil.example' }],
    ['the name with our port', { host: 'evil.example:7420' }],
    ['a name that begins like ours', { host: '127.0.0.1.evil.example' }],
    ['a name that hides ours', { host: 'localhost@evil.example' }],
    ['all addresses at once', { host: '0.0.0.0' }],
    ['a foreign page', { host: '127.0.0.1', origin: 'https://evil.example' }],
    ['a page of a file or a sandbox', { host: '127.0.0.1', origin: 'null' }],
    ['a page whose name begins like ours', { host: '127.0.0.1', origin: 'http://localhost.evil.example' }],
    ['a page with our name as its user', { host: '127.0.0.1', origin: 'http://localhost@evil.example' }],
  ])('%s is refused on every surface', async (_, headers) => {
    for (const path of ['/mcp', '/api/servers', '/api/session', '/metrics', '/healthz', '/']) {
      const { status } = await send(open.url, path, { headers });
      expect({ path, status }).toEqual({ path, status: 403 });
    }
    const call = await send(open.url, '/mcp', {
      method: 'POST',
      headers: { ...rpcHeaders, ...headers },
      body: initialize,
    });
    expect(call.status).toBe(403);
    expect(call.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('a cross-site form or image request without an Origin header changes nothing', async () => {
    const body = JSON.stringify({ name: 'added', transport: 'http', url: 'http://127.0.0.1:1/mcp' });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      const headers = { host: '127.0.0.1', ...(type !== '' && { 'content-type': type }) };
      const added = await send(open.url, '/api/servers', { method: 'POST', headers, body });
      const called = await send(open.url, '/mcp', { method: 'POST', headers, body: initialize });
      expect({ type, added: added.status < 400, called: called.status < 400 }).toEqual({
        type,
        added: false,
        called: false,
      });
    }
    expect(open.toolbox.servers.get('added')).toBeUndefined();
  });

  test('no response carries CORS headers', async () => {
    const headers = { host: '127.0.0.1', origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const preflight = await send(open.url, '/mcp', { method: 'OPTIONS', headers });
    expect(preflight.status).toBeGreaterThanOrEqual(400);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a second route without authentication', () => {
  // CVE-2026-23744 and others: one route required authentication, another did not.
  const known = allRoutes
    .filter(({ right }) => right !== 'public')
    .map(({ method, path }) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, 'x') }));
  const variants = (path: string) => [
    path,
    `${path}/`,
    path.replace('/api', '//api'),
    path.replace('/api/', '/api//'),
    `/.${path}`,
    path.replace('/api', '/API'),
    `${path}%00`,
    `${path};a=b`,
    `/x/..${path}`,
    path.replace('api', '%61pi'),
  ];

  test('no alternative spelling of a path bypasses authentication', async () => {
    for (const { method, path } of known) {
      for (const variant of variants(path)) {
        const { status, text } = await send(locked.url, variant, {
          method,
          headers: { host: '127.0.0.1', 'x-toolwharf': '1' },
        });
        expect([401, 404, 405, 400], `${method} ${variant}: ${status} ${text.slice(0, 80)}`).toContain(status);
      }
    }
  });

  test.each([
    '/mcp',
    '/mcp/',
    '/mcp/default',
    '/mcp/default/',
    '/metrics',
    '/MCP',
    '//mcp',
    '/mcp/..%2fapi',
    '/mcp?x=/api',
  ])('%s rejects requests without a key', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'HEAD', 'PUT']) {
      const { status } = await send(locked.url, path, {
        method,
        headers: { ...rpcHeaders, host: '127.0.0.1' },
        body: method === 'POST' ? initialize : undefined,
      });
      expect([401, 404, 405], `${method} ${path}`).toContain(status);
    }
  });
});

describe('guessable internal headers', () => {
  test.each<Record<string, string>>([
    { 'x-forwarded-user': 'admin' },
    { 'x-remote-user': 'admin' },
    { 'x-auth-request-user': 'admin' },
    { 'x-toolwharf': '1' },
    { 'x-toolwharf-admin': 'true' },
    { 'x-caller': 'admin' },
    { 'x-internal': '1' },
    { 'x-real-ip': '127.0.0.1' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1;host=localhost' },
    { 'x-original-url': '/healthz' },
    { 'x-rewrite-url': '/healthz' },
    { 'x-http-method-override': 'GET' },
    { authorization: 'Bearer undefined' },
    { authorization: 'Bearer null' },
    { authorization: 'Basic YWRtaW46YWRtaW4=' },
    { cookie: 'toolwharf_session=admin' },
  ])('%o makes nobody of anybody', async (headers) => {
    const { status } = await send(locked.url, '/api/servers', { headers: { host: '127.0.0.1', ...headers } });
    expect([401, 429]).toContain(status);
  });

  test('a request with a forwarding header is not treated as local', async () => {
    for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']) {
      const { status } = await send(open.url, '/api/servers', { headers: { host: '127.0.0.1', [name]: '127.0.0.1' } });
      expect(status, name).toBe(401);
    }
  });
});

describe('path traversal in static files and resource names', () => {
  test.each([
    '/../package.json',
    '/..%2f..%2fpackage.json',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/assets/../../package.json',
    '/assets/..\\..\\package.json',
    '/assets/%252e%252e/package.json',
    '/....//....//etc/passwd',
    '/index.html%00.js',
    '//etc/passwd',
    '/file:///etc/passwd',
  ])('%s is no file of the app', async (path) => {
    await using directory = await tempDir();
    const { writeFile, mkdir } = await import('node:fs/promises');
    await mkdir(directory.file('web/assets'), { recursive: true });
    await writeFile(directory.file('web/index.html'), '<!doctype html><title>the app</title>');
    await writeFile(directory.file('package.json'), 'SECRET OUTSIDE');
    await using api = await startApi({ servers: {} }, { web: directory.file('web') });
    const { text } = await send(api.url, path, { headers: { host: '127.0.0.1' } });
    expect(text).not.toContain('SECRET OUTSIDE');
    expect(text).not.toContain('root:');
  });

  test('names of servers, tools and resources in a URL are never used as file paths', async () => {
    for (const name of ['..%2f..%2fetc%2fpasswd', '%2e%2e', '..%5c..', '__proto__', 'constructor', '%00']) {
      for (const path of [
        `/api/servers/${name}`,
        `/api/tools/${name}`,
        `/api/servers/${name}/stderr`,
        `/mcp/${name}`,
      ]) {
        const { status, text } = await send(open.url, path, { headers: { host: '127.0.0.1' } });
        expect([400, 404, 405], `${path}: ${text.slice(0, 100)}`).toContain(status);
        expect(text).not.toContain('root:');
      }
    }
  });
});

describe('a web page that makes its visitor read', () => {
  const path = '/api/servers/files/resources/read?uri=memo://one';
  const reads = async () => (await open.get('/api/calls')).body.calls.filter(({ kind }: { kind?: string }) => kind);
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
  ];

  test.each(foreign)('a web page that makes its visitor send a request reads nothing with %j', async (headers) => {
    expect((await send(open.url, path, { headers })).status).toBe(401);
    expect(await reads()).toEqual([]);
  });

  test('programs and the pages of the gateway read', async () => {
    expect((await open.get(path)).status).toBe(200);
    expect((await open.get(path, { headers: { 'x-toolwharf': '1' } })).status).toBe(200);
    expect(await reads()).toHaveLength(2);
  });
});

test('a wrong token is an error on the public route of the session too', async () => {
  for (const api of [open, locked]) {
    const answer = await api.get('/api/session', { key: 'tw_wrong' });
    expect(answer.status).toBe(401);
    expect((await api.get('/api/session')).status).toBe(200);
  }
});

test('an empty key, as of an unset variable in a copied command, counts as no credentials', async () => {
  const empty = { headers: { authorization: 'Bearer ' } };
  expect((await open.get('/api/tools', empty)).status).toBe(200);
  expect((await locked.get('/api/tools', empty)).status).toBe(401);
});

test('a request with two Host headers gets 400, whatever they say', async () => {
  await using api = await startApi({ servers: {} });
  const { host } = new URL(api.url);
  for (const second of [host, 'evil.example.com']) {
    const answer = await sendLines(api.url, ['GET /api/session HTTP/1.1', `Host: ${host}`, `hOST: ${second}`]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  }
  expect(await sendLines(api.url, ['GET /api/session HTTP/1.1', `Host: ${host}`])).toMatch(/^HTTP\/1\.1 200 /);
});

/** Sends the lines of a request as they are; returns the response. */
async function sendLines(url: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end([...lines, 'Connection: close', '', ''].join('\r\n'));
  let text = '';
  for await (const part of socket) text += String(part);
  return text;
}
