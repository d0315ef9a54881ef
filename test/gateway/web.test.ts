import { mkdir, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { tempDir } from '../support/fixtures.ts';

const page = '<!doctype html><meta name="csp-nonce" content="__NONCE__"><title>App</title>';
const script = `console.log(${JSON.stringify('x'.repeat(2_000))});`;
const html = { accept: 'text/html,application/xhtml+xml' };

let api: TestApi;
const directory = await tempDir();

beforeAll(async () => {
  await mkdir(directory.file('app/assets'), { recursive: true });
  await writeFile(directory.file('app/index.html'), page);
  await writeFile(directory.file('app/icon.svg'), '<svg/>');
  await writeFile(directory.file('app/assets/main-AbC123.js'), script);
  await writeFile(directory.file('app/assets/main-AbC123.js.br'), brotliCompressSync(script));
  await writeFile(directory.file('app/assets/main-AbC123.js.gz'), gzipSync(script));
  await writeFile(directory.file('secret.txt'), 'not for everybody');
  await mkdir(directory.file('docs/guide'), { recursive: true });
  await mkdir(directory.file('docs/assets'), { recursive: true });
  await writeFile(directory.file('docs/index.html'), '<title>Documentation</title>');
  await writeFile(
    directory.file('docs/404.html'),
    '<title>Page not found</title><a href="#x"><a href="guide/x.html"><a href="https://example.com">',
  );
  await writeFile(directory.file('docs/guide/approval.html'), `<title>Approval</title>${'x'.repeat(2_000)}`);
  await writeFile(directory.file('docs/assets/main-AbC123.js'), script);
  api = await startApi({ servers: {}, gateway: { requireAuthentication: true } }, { web: directory.file('app') });
});
afterAll(async () => {
  await api.close();
  await directory[Symbol.asyncDispose]();
});

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A request with an exact path and an unprocessed response. */
function raw(path: string, headers: Record<string, string> = {}, method = 'GET', base = api.url): Promise<Raw> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, method, headers }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) });
    });
    sent.once('error', reject).end();
  });
}

describe('the web app', () => {
  test('the web app is served without authentication', async () => {
    const { status, headers, body } = await raw('/', html);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
    expect(String(body)).toContain('<title>App</title>');
    expect((await raw('/api/servers')).status).toBe(401);
    expect((await raw('/mcp', {}, 'POST')).status).toBe(401);
  });

  test('the web app has a strict content security policy with a new nonce for each page', async () => {
    const pages = [await raw('/', html), await raw('/', html)];
    const nonces = pages.map(({ headers, body }) => {
      const [, nonce = ''] = /content="([^"]+)"/.exec(String(body)) ?? [];
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; ` +
          `media-src data: blob:; font-src 'self'; connect-src 'self'; frame-src apps.localhost:${new URL(api.url).port}; ` +
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      return nonce;
    });
    expect(nonces[0]).toMatch(/^[\w+/]{24}$/);
    expect(nonces[1]).not.toBe(nonces[0]);
  });

  test.each(['/', '/icon.svg', '/assets/main-AbC123.js', '/chat/some-conversation'])(
    'the web app sends strict headers with %s',
    async (path) => {
      const { headers } = await raw(path, html);
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('camera=()'),
      });
    },
  );

  test('the web app is served at the paths of its pages and no others', async () => {
    for (const path of ['/servers', '/chat/1?x=1', '/tools/mcp_files_add', '/index.html'])
      expect(String((await raw(path, html)).body)).toContain('<title>App</title>');
    for (const path of ['/api/nothing', '/mcp/a/b', '/metrics', '/.well-known/x', '/a2a', '/assets/gone.js'])
      expect(String((await raw(path, html)).body)).not.toContain('<title>');
    const other = await raw('/servers', { accept: 'application/json' });
    expect({ status: other.status, body: JSON.parse(String(other.body)).error.code }).toEqual({
      status: 404,
      body: 'NOT_FOUND',
    });
    expect((await raw('/', html, 'POST')).status).toBe(404);
  });

  test('the web app has hashed files that are cached forever', async () => {
    const { headers, body } = await raw('/assets/main-AbC123.js');
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(headers['content-encoding']).toBeUndefined();
    expect(String(body)).toBe(script);
    const icon = await raw('/icon.svg');
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
    const again = await raw('/icon.svg', { 'if-none-match': String(icon.headers.etag) });
    expect({ status: again.status, length: again.body.length }).toEqual({ status: 304, length: 0 });
    expect((await raw('/icon.svg', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br; q=0.0, gzip; q=0', undefined],
    ['identity', undefined],
  ])('the web app is sent compressed for %s as %s', async (accepted, encoding) => {
    const { headers, body } = await raw('/assets/main-AbC123.js', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    const plain = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;
    expect(String(plain)).toBe(script);
  });

  test('the web app has a different ETag for each encoding of a file', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', ''].map(async (accepted) => {
        const { headers } = await raw('/assets/main-AbC123.js', { 'accept-encoding': accepted });
        return headers.etag;
      }),
    );
    expect(new Set(tags).size).toBe(3);
  });

  test('the web app answers HEAD like GET, without the body', async () => {
    const [got, head] = [await raw('/icon.svg'), await raw('/icon.svg', {}, 'HEAD')];
    expect(head.body.length).toBe(0);
    expect({ status: head.status, length: head.headers['content-length'], etag: head.headers.etag }).toEqual({
      status: 200,
      length: got.headers['content-length'],
      etag: got.headers.etag,
    });
  });

  test.each(['/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/assets/..%2f..%2fsecret.txt', '/%', '//'])(
    'the web app does not serve files outside of its directory: %s',
    async (path) => {
      const { status, body } = await raw(path);
      expect(String(body)).not.toContain('not for everybody');
      expect(status).toBe(404);
    },
  );

  test('the web app is not served under a foreign host name', async () => {
    expect((await raw('/', { ...html, host: 'evil.example' })).status).toBe(403);
  });
});

describe('the documentation', () => {
  test('the documentation is served under /docs without authentication', async () => {
    for (const path of ['/docs/', '/docs/index.html', '/docs/?x=1'])
      expect(String((await raw(path, html)).body)).toContain('<title>Documentation</title>');
    for (const path of ['/docs/guide/approval.html', '/docs/guide/approval'])
      expect(String((await raw(path, html)).body)).toContain('<title>Approval</title>');
    const { status, headers } = await raw('/docs', html);
    expect({ status, location: headers.location }).toEqual({ status: 308, location: '/docs/' });
    const slash = await raw('/docs/guide/approval/', html);
    expect([slash.status, slash.headers.location]).toEqual([308, '/docs/guide/approval']);
  });

  test('the documentation has its own page for addresses that do not exist', async () => {
    for (const path of ['/docs/nothing', '/docs/404', '/docs/assets/gone.js', '/docs/guide/']) {
      const { status, body } = await raw(path, html);
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(String(body)).toContain('<title>Page not found</title>');
      // It is served at any path, so that relative links would lead nowhere.
      expect(String(body)).toContain('<a href="#x"><a href="/docs/guide/x.html"><a href="https://example.com">');
    }
    expect(String((await raw('/documents', html)).body)).toContain('<title>App</title>');
  });

  test('the documentation is sent with strict headers, compressed, and cached by its content', async () => {
    const { headers, body } = await raw('/docs/guide/approval', { ...html, 'accept-encoding': 'gzip' });
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'; style-src 'self';"),
      'x-content-type-options': 'nosniff',
      'content-encoding': 'gzip',
      'cache-control': 'no-cache',
    });
    expect(String(gunzipSync(body))).toContain('<title>Approval</title>');
    const again = await raw('/docs/guide/approval', {
      'accept-encoding': 'gzip',
      'if-none-match': String(headers.etag),
    });
    expect(again.status).toBe(304);
    expect((await raw('/docs/assets/main-AbC123.js')).headers['cache-control']).toContain('immutable');
  });

  test.each(['/docs/../secret.txt', '/docs/..%2fsecret.txt', '/docs/%2e%2e/%2e%2e/secret.txt', '/docs//secret.txt'])(
    'the documentation contains no files outside of its directory: %s',
    async (path) => {
      const { status, body } = await raw(path);
      expect({ status, isSecret: String(body).includes('not for everybody') }).toEqual({
        status: 404,
        isSecret: false,
      });
    },
  );

  test('a gateway without built documentation explains how to build it', async () => {
    await using gateway = await startApi({ servers: {} }, { web: directory.file('app/assets') });
    const { status, body } = await raw('/docs/', html, 'GET', gateway.url);
    expect({ status, body: String(body) }).toEqual({
      status: 404,
      body: expect.stringContaining('npm run docs:build'),
    });
  });
});

test('a gateway without a built web app explains how to build it', async () => {
  await using gateway = await startApi({ servers: {} }, { web: directory.file('nowhere') });
  const { status, headers, body } = await raw('/', html, 'GET', gateway.url);
  expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/plain; charset=utf-8' });
  expect(String(body)).toContain('is not built');
  expect((await raw('/servers', html, 'GET', gateway.url)).headers['content-type']).toBe('application/json');
});
