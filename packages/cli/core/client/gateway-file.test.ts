import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { proveAdminToken } from '../../../gateway/core/auth/admin-token.ts';
import { findGateway, removeGatewayFile, writeGatewayFile } from './gateway-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-gateway-'));
  await writeFile(join(directory, 'admin-token'), 'twadmin_secret\n');
});
afterEach(() => rm(directory, { recursive: true }));

/** A server on a free port of loopback. */
async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A gateway that knows the token. */
const gatewayWith =
  (token: string): RequestListener =>
  (request, response) => {
    const challenge = String(request.headers['x-toolwharf-challenge']);
    const proof = proveAdminToken(token, challenge, request.socket.localPort ?? 0);
    response.writeHead(200, { 'x-toolwharf-proof': proof }).end('{}');
  };

test('a running gateway is found by its record, which only the owner can read', async () => {
  await using gateway = await listen(gatewayWith('twadmin_secret'));
  const record = { url: gateway.url, pid: process.pid, config: '/etc/toolwharf.yaml' };
  await writeGatewayFile(directory, record);
  expect(await findGateway(directory)).toEqual({ ...record, adminToken: 'twadmin_secret' });
  expect((await stat(join(directory, 'gateway.json'))).mode & 0o777).toBe(0o600);
  await removeGatewayFile(directory, process.pid + 1);
  expect(await findGateway(directory)).toBeDefined();
  await removeGatewayFile(directory, process.pid);
  expect(await findGateway(directory)).toBeUndefined();
});

test('the record of a dead process, or of a port without a listener, is ignored', async () => {
  await using gateway = await listen(gatewayWith('twadmin_secret'));
  await writeGatewayFile(directory, { url: gateway.url, pid: 2 ** 30 });
  expect(await findGateway(directory)).toBeUndefined();
  await writeGatewayFile(directory, { url: 'http://127.0.0.1:1', pid: process.pid });
  expect(await findGateway(directory)).toBeUndefined();
});

test('another program on the port of a crashed gateway is not trusted and does not receive the admin token', async () => {
  const received: string[] = [];
  await using other = await listen((request, response) => {
    received.push(JSON.stringify(request.headers));
    response.writeHead(200, { 'x-toolwharf-proof': 'guessed' }).end('{}');
  });
  await writeGatewayFile(directory, { url: other.url, pid: process.pid });
  expect(await findGateway(directory)).toBeUndefined();
  await using foreign = await listen(gatewayWith('twadmin_of_somebody_else'));
  await writeGatewayFile(directory, { url: foreign.url, pid: process.pid });
  expect(await findGateway(directory)).toBeUndefined();
  expect(received).toHaveLength(1);
  expect(received[0]).not.toContain('secret');
});

test('a proof that a program relays from the gateway on another port is not accepted', async () => {
  await using gateway = await listen(gatewayWith('twadmin_secret'));
  await using relay = await listen(async (request, response) => {
    const challenge = String(request.headers['x-toolwharf-challenge']);
    const answer = await fetch(gateway.url, { headers: { 'x-toolwharf-challenge': challenge } });
    response.writeHead(200, { 'x-toolwharf-proof': answer.headers.get('x-toolwharf-proof') ?? '' }).end('{}');
  });
  await writeGatewayFile(directory, { url: relay.url, pid: process.pid });
  expect(await findGateway(directory)).toBeUndefined();
});

test.each(['', '{', '[]', '{"url":1,"pid":1}', '{"url":"x"}'])(
  'a record with the content %j is ignored',
  async (text) => {
    await writeFile(join(directory, 'gateway.json'), text);
    expect(await findGateway(directory)).toBeUndefined();
  },
);
