import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { guardAddresses, type Lookup, type MayReach, serverReach } from './guard-addresses.ts';

const publicOnly: MayReach = (_, kind) => kind === 'public';

/** A name server that returns the next of these answers on each query. */
function answering(...answers: readonly string[][]): Lookup & { asked(): number } {
  let asked = 0;
  const lookup: Lookup = (_, { all }, callback) => {
    const found = (answers[Math.min(asked++, answers.length - 1)] ?? []).map((address) => ({ address, family: 4 }));
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', 4);
  };
  return Object.assign(lookup, { asked: () => asked });
}

function ask(lookup: Lookup, all = true): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookup('name.example', { all }, (error, found) => (error ? reject(error) : resolve(found)));
  });
}

test('a name with a private address is rejected, even if its other addresses are public', async () => {
  const refusal = { code: 'SERVER_UNREACHABLE', message: expect.stringContaining('10.0.0.7') };
  await expect(ask(guardAddresses(publicOnly, answering(['10.0.0.7'])).lookup)).rejects.toMatchObject(refusal);
  await expect(ask(guardAddresses(publicOnly, answering(['10.0.0.7'])).lookup, false)).rejects.toMatchObject(refusal);
  const mixed = guardAddresses(publicOnly, answering(['93.184.216.34', '10.0.0.7']));
  await expect(ask(mixed.lookup)).rejects.toMatchObject(refusal);
});

test('the public addresses of a name are returned unchanged', async () => {
  const { lookup } = guardAddresses(publicOnly, answering(['93.184.216.34', '8.8.8.8']));
  await expect(ask(lookup)).resolves.toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '8.8.8.8', family: 4 },
  ]);
});

test('an error of the name server is passed on', async () => {
  const failing: Lookup = (_, __, callback) =>
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
  await expect(ask(guardAddresses(publicOnly, failing).lookup)).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('a connection uses the address that was checked, and the name is resolved once', async () => {
  const server = createServer((_, response) => response.end('here'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const judged: string[] = [];
  const names = answering(['127.0.0.1'], ['127.0.0.2']);
  const guard = guardAddresses((hostname, kind) => {
    judged.push(`${hostname} ${kind}`);
    return true;
  }, names);
  const agent = new Agent({ connect: { lookup: guard.lookup } });
  const origin = `http://rebinding.example:${(server.address() as AddressInfo).port}`;
  const { body } = await agent.request({ origin, path: '/', method: 'GET' });
  expect(await body.text()).toBe('here');
  expect(names.asked()).toBe(1);
  expect(judged).toEqual(['rebinding.example loopback']);
  await agent.destroy();
  server.closeAllConnections();
  server.close();
});

test.each([
  // Servers of the configuration file may have any address. URLs they refer to may be in the operator's network, but not on this machine.
  ['configured', 'http://10.0.0.1/mcp', '10.0.0.1', 'private', true],
  ['configured', 'https://93.184.216.34/mcp', 'login.internal', 'private', true],
  ['configured', 'https://93.184.216.34/mcp', 'login.internal', 'loopback', false],
  ['configured', 'https://93.184.216.34/mcp', 'login.internal', 'link-local', false],
  ['configured', 'http://127.0.0.1/mcp', '127.0.0.1', 'loopback', true],
  // URLs of a server that was added at run time may not be more private than the server itself.
  ['added', 'http://10.0.0.1/mcp', '10.0.0.1', 'private', true],
  ['added', 'http://10.0.0.1/mcp', 'login.internal', 'private', true],
  ['added', 'https://93.184.216.34/mcp', 'login.internal', 'private', false],
  ['added', 'https://93.184.216.34/mcp', 'login.internal', 'link-local', false],
  ['added', 'https://93.184.216.34/mcp', 'login.example', 'public', true],
  ['added', 'http://[::1]/mcp', '::1', 'loopback', true],
  ['added', 'http://127.0.0.1/mcp', 'login.internal', 'loopback', true],
  ['added', 'http://127.0.0.1/mcp', 'login.internal', 'private', true],
  ['added', 'http://127.0.0.1/mcp', '169.254.169.254', 'link-local', false],
  ['added', 'http://10.0.0.1/mcp', 'login.internal', 'loopback', false],
  ['added', 'http://localhost/mcp', 'login.internal', 'loopback', true],
  ['configured', 'http://10.0.0.1/mcp', '169.254.169.254', 'link-local', false],
  ['public', 'http://10.0.0.1/mcp', '10.0.0.1', 'private', false],
  ['public', 'http://127.0.0.1/mcp', '127.0.0.1', 'loopback', false],
  ['public', 'https://93.184.216.34/mcp', '93.184.216.34', 'public', true],
] as const)('%s: a server at %s may have %s at a %s address: %s', async (reach, url, hostname, kind, expected) => {
  expect(await serverReach(new URL(url), () => reach)(hostname, kind)).toBe(expected);
});
