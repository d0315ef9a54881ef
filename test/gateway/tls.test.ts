import { once } from 'node:events';
import { copyFile, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = new URL('../fixtures/tls/', import.meta.url).pathname;
const pem = (name: string) => readFile(join(directory, name), 'utf8');
const [ca, clientCert, clientKey] = await Promise.all([pem('ca.crt'), pem('client.crt'), pem('client.key')]);

async function withFiles(name = 'first') {
  const dir = await tempDir();
  const use = async (next: string) => {
    for (const ending of ['crt', 'key']) {
      await copyFile(join(directory, `${next}.${ending}`), dir.file('new'));
      await rename(dir.file('new'), dir.file(`tls.${ending}`));
    }
  };
  await use(name);
  return Object.assign(dir, { use, tls: { cert: dir.file('tls.crt'), key: dir.file('tls.key') } });
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly cookies: readonly string[];
}

async function send(url: string, options: object = {}, body = ''): Promise<Reply> {
  const secure = url.startsWith('https:');
  const agent = secure ? new Agent({ ca, keepAlive: false }) : undefined;
  const sent = (secure ? request : requestHttp)(url, { agent, ...options });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text, cookies: response.headers['set-cookie'] ?? [] };
}

const secureUrl = (url: string) => url.replace('http:', 'https:').replace('0.0.0.0', '127.0.0.1');

/** The name in the certificate that the gateway shows. */
async function nameAt(url: string): Promise<unknown> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', ca });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN;
}

const open = (tls: object, gateway: object = {}) =>
  startApi({ servers: { s: fixture('legacy') }, gateway: { tls, ...gateway } } as never);

describe('gateway.tls', () => {
  test('a gateway with a certificate serves https, and plain http on the same port to programs of this machine', async () => {
    await using files = await withFiles();
    await using api = await open(files.tls);
    const authorization = `Bearer ${api.adminToken}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const text = 'x'.repeat(200_000);
    const body = JSON.stringify({ arguments: { text } });
    for (const url of [secureUrl(api.url), api.url]) {
      expect(await send(`${url}/healthz`)).toMatchObject({ status: 200 });
      const called = await send(`${url}/api/tools/mcp_s_echo/call`, { method: 'POST', headers }, body);
      expect(JSON.parse(called.text)).toMatchObject({ text });
    }
    const session = await send(
      `${secureUrl(api.url)}/api/session`,
      { method: 'POST', headers },
      JSON.stringify({ token: api.adminToken }),
    );
    expect(session.cookies.join()).toMatch(/; Secure/);
    const clients = await send(`${secureUrl(api.url)}/api/clients`, { headers });
    expect(clients.text).toContain(`${secureUrl(api.url)}/mcp`);
  });

  test('a changed certificate is used without a restart, and one that does not fit is refused', async () => {
    await using files = await withFiles();
    await using api = await open(files.tls);
    expect(await nameAt(api.url)).toBe('first');
    await writeFile(files.tls.cert, 'not a certificate');
    await waitFor(() => api.log.some(({ event }) => event === 'gateway.certificate-refused'), { what: 'the refusal' });
    expect(await nameAt(api.url)).toBe('first');
    await files.use('second');
    await waitFor(async () => (await nameAt(api.url)) === 'second', { what: 'the new certificate' });
  });

  test('a certificate behind a symbolic link is read again when the link leads to another folder', async () => {
    await using dir = await tempDir();
    await symlink(directory, dir.file('data'));
    await using other = await withFiles('second');
    await copyFile(other.tls.cert, other.file('first.crt'));
    await copyFile(other.tls.key, other.file('first.key'));
    await using api = await open({ cert: dir.file('data/first.crt'), key: dir.file('data/first.key') });
    expect(await nameAt(api.url)).toBe('first');
    for (const [folder, name] of [
      [other.path, 'second'],
      [directory, 'first'],
    ] as const) {
      await symlink(folder, dir.file('next'));
      await rename(dir.file('next'), dir.file('data'));
      await waitFor(async () => (await nameAt(api.url)) === name, { what: `the certificate of ${name}` });
    }
  });

  test('clients need a certificate of clientCa, if it is set', async () => {
    await using files = await withFiles();
    await using api = await open({ ...files.tls, clientCa: join(directory, 'ca.crt') });
    const url = `${secureUrl(api.url)}/healthz`;
    await expect(send(url)).rejects.toThrow();
    const agent = new Agent({ ca, cert: clientCert, key: clientKey, keepAlive: false });
    expect(await send(url, { agent })).toMatchObject({ status: 200 });
  });

  test('another machine gets no answer over plain http', async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((one) => one && !one.internal && one.family === 'IPv4')?.address;
    await using files = await withFiles();
    await using api = await open(files.tls, { host: '0.0.0.0', allowedHosts: address ? [address] : [] });
    const port = Number(new URL(api.url).port);
    expect(await send(`http://127.0.0.1:${port}/healthz`)).toMatchObject({ status: 200 });
    // A machine without a network has no other address than loopback.
    if (!address) return;
    expect(await send(`http://${address}:${port}/healthz`)).toMatchObject({ status: 200 });
    // From its other address, a connection looks like one of another machine.
    const fromOther = { localAddress: address };
    expect(await send(`http://127.0.0.1:${port}/healthz`, fromOther)).toMatchObject({
      status: 426,
      text: 'This address speaks https only\n',
    });
    expect(await send(`https://127.0.0.1:${port}/healthz`, fromOther)).toMatchObject({ status: 200 });
  });

  test('connections that send nothing, or end in the handshake, do not stop the gateway from closing', async () => {
    await using files = await withFiles();
    const api = await open(files.tls);
    const port = Number(new URL(api.url).port);
    const sockets = [1, 2].map(() => connectTcp(port, '127.0.0.1').on('error', () => {}));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    sockets[1]?.end('\x16\x03');
    const closed = once(sockets[0] as never, 'close');
    await api.close();
    await closed;
    sockets[1]?.destroy();
  });

  test.each([
    ['no such file', { cert: '/no/such/file', key: '/no/such/file' }, "gateway.tls.cert can't be read"],
    [
      'a key of another certificate',
      { cert: join(directory, 'first.crt'), key: join(directory, 'second.key') },
      "can't be used",
    ],
  ])('a gateway does not start with %s', async (_, tls, message) => {
    await expect(open(tls)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    });
  });

  test('paths of certificates are relative to the configuration file', async () => {
    await using files = await withFiles();
    const file = files.file('toolwharf.json');
    await writeFile(file, JSON.stringify({ servers: {}, gateway: { tls: { cert: 'tls.crt', key: './tls.key' } } }));
    await using api = await startApi(file);
    expect(await nameAt(api.url)).toBe('first');
    await rm(file);
  });
});
