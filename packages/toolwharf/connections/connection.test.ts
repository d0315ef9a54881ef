import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTestConnection } from '../../../test/support/connect.ts';
import { ToolwharfError } from '../../contract/errors.ts';
import { createNotificationThrottle } from './notification-throttle.ts';

test('a list is requested again at once after the connection breaks during its transfer', async () => {
  await using server = await startCutting('tools/list', 1);
  await using connection = createTestConnection(server.url);
  await connection.connect();
  expect(connection.status.state).toBe('connected');
  expect(connection.lists.get('tools')?.items).toEqual([{ name: 'only', inputSchema: { type: 'object' } }]);
});

test('a list that always breaks the connection degrades it and is not requested endlessly', async () => {
  await using server = await startCutting('tools/list', Number.POSITIVE_INFINITY);
  await using connection = createTestConnection(server.url);
  await connection.connect();
  expect(connection.status.state).toBe('degraded');
  expect(server.cuts()).toBe(2);
});

test('a call is not sent again after its connection breaks', async () => {
  await using server = await startCutting('tools/call', Number.POSITIVE_INFINITY);
  await using connection = createTestConnection(server.url);
  await connection.connect();
  const call = connection.request('tools/call', { name: 'only', arguments: {} });
  await expect(call).rejects.toMatchObject({ code: 'SERVER_DISCONNECTED', data: { reached: true } });
  expect(server.cuts()).toBe(1);
});

test('a sign-in that fails during era negotiation is reported as a failed sign-in', async () => {
  const failed = new ToolwharfError('OAUTH_FAILED', 'The permissions are not enough');
  const access = {
    fetch: () => Promise.reject(failed),
    headers: {},
    throttle: createNotificationThrottle(),
    close: async () => {},
  };
  const source = {
    open: async () => access,
    finishSignIn: async () => false,
    signInState: async () => undefined,
    signOut: async () => {},
    close: async () => {},
  };
  await using connection = createTestConnection('http://127.0.0.1:9/mcp', {}, { openHttp: () => source });
  await expect(connection.connect()).rejects.toBe(failed);
  expect(connection.status).toMatchObject({ state: 'error', code: 'OAUTH_FAILED' });
});

test('a pending connection attempt keeps the process alive', async () => {
  const support = new URL('../../../test/support/connect.ts', import.meta.url);
  const program = `import { createTestConnection } from '${support}';
    const connection = createTestConnection('http://127.0.0.1:1/mcp');
    await connection.connect({ attempts: 2 }).catch((cause) => console.log(cause.code));
    await connection.disconnect();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout.trim()).toBe('SERVER_UNREACHABLE');
});

/** A modern server with one tool that closes the connection of the first requests of a method. */
async function startCutting(method: string, times: number) {
  let cuts = 0;
  const results: Record<string, object> = {
    'server/discover': {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
    },
    'tools/list': { tools: [{ name: 'only', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' },
    'tools/call': { content: [] },
  };
  const server = createServer(async (request, response) => {
    const message = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { id: number; method: string };
    if (message.method === method && cuts < times) {
      cuts++;
      request.socket.destroy();
      return;
    }
    const result = { resultType: 'complete', ...results[message.method] };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
