import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createPoolFetch } from '../http/pool-fetch.ts';
import { createOAuthFetch } from './oauth-fetch.ts';

test.for([
  ['http://issuer.example/token', 'https://mcp.example/mcp', 'plain http'],
  ['http://127.0.0.1:9/token', 'https://mcp.example/mcp', 'on this machine'],
  ['https://localhost/token', 'https://mcp.example/mcp', 'on this machine'],
  ['ftp://issuer.example/token', 'https://mcp.example/mcp', 'not https'],
])('the OAuth endpoint %s of %s is rejected because it is %s [R19]', async ([endpoint, serverUrl, reason]) => {
  const fetch = createOAuthFetch({
    server: 'notes',
    serverUrl: new URL(serverUrl as string),
    security: {},
    fetch: () => Promise.reject(new Error('visited')),
  });
  await expect(fetch(endpoint as string)).rejects.toMatchObject({
    code: 'OAUTH_FAILED',
    message: expect.stringContaining(reason as string),
  });
});

test('an OAuth response that is slow or large is an error', async () => {
  await using server = createServer((request, response) => {
    if (request.url === '/large') response.end('x'.repeat(2_000));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pool = createPoolFetch();
  const options = {
    server: 'notes',
    serverUrl: new URL(url),
    security: {},
    fetch: pool.fetch,
    maxBytes: 1_000,
  };
  const patient = createOAuthFetch({ ...options, timeoutMs: 20_000 });
  await expect(patient(`${url}/large`)).rejects.toThrow(/larger than 1000 bytes/);
  const hasty = createOAuthFetch({ ...options, timeoutMs: 100 });
  await expect(hasty(`${url}/slow`)).rejects.toThrow(/did not answer within 100 ms/);
  await pool.close();
});
