import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { startHost } from '../../../../test/support/sandbox.ts';
import { createHostProxy, type HostProxy, type HostProxyOptions } from './host-proxy.ts';
import { findHost, toEntry } from './hosts.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function open(options: Partial<HostProxyOptions> = {}) {
  const host = await startHost();
  const proxy: HostProxy = createHostProxy({
    decide: async ({ host: name }) =>
      name.endsWith('example.com')
        ? { kind: 'allow', entry: name }
        : { kind: 'deny', reason: `${name} is not allowed` },
    network: host.network,
    ...options,
  });
  const listening: Server = createServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  proxy.serve(listening);
  opened.push(proxy.close, () => host[Symbol.asyncDispose]());
  const { port } = listening.address() as { readonly port: number };
  return { host, proxy, exchange: (text: string) => exchange(port, text) };
}

/** What a proxy answers to a request, until the connection ends. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  let answer = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    answer += part;
  });
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

const get = (url: string) => `GET ${url} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nconnection: close\r\n\r\n`;

test('plain HTTP to an allowed host passes, with the path and the host of the request', async () => {
  const { host, exchange } = await open();
  expect(await exchange(get('http://api.example.com/path?query=1'))).toContain('hello from api.example.com');
  expect(host.requests).toEqual(['GET api.example.com/path?query=1']);
});

test('a tunnel to an allowed host passes bytes in both directions', async () => {
  const { exchange } = await open();
  const tunneled = `CONNECT api.example.com:443 HTTP/1.1\r\nhost: api.example.com:443\r\n\r\n${get('http://inner/')}`;
  expect(await exchange(tunneled)).toMatch(/^HTTP\/1.1 200 Connection established\r\n[\s\S]*hello from inner$/);
});

test.each([
  ['another host', 'http://evil.test/', 'evil.test is not allowed'],
  ['the metadata service', 'http://169.254.169.254/', '169.254.169.254 is a link-local address'],
  ['this machine', 'http://127.0.0.1:7420/', '127.0.0.1 is a loopback address'],
  ['this machine in another spelling', 'http://0x7f.1/', '127.0.0.1 is a loopback address'],
  ['this machine by name', 'http://api.localhost/', 'api.localhost is a loopback address'],
  ['this machine as a number', 'http://2130706433/', '127.0.0.1 is a loopback address'],
  ['this machine as an IPv6 address', 'http://[::1]:7420/', '::1 is a loopback address'],
  ['this machine as a mapped address', 'http://[::ffff:127.0.0.1]/', '::ffff:7f00:1 is a loopback address'],
  ['the metadata service as a mapped address', 'http://[::ffff:a9fe:a9fe]/', '::ffff:a9fe:a9fe is a link-local'],
  ['the metadata service behind NAT64', 'http://[64:ff9b::169.254.169.254]/', '64:ff9b::a9fe:a9fe is a link-local'],
  ['every address of this machine', 'http://0.0.0.0/', '0.0.0.0 is a loopback address'],
  ['this machine with a final dot', 'http://localhost./', 'localhost is a loopback address'],
])('%s is blocked with the reason', async (_what, url, reason) => {
  const { host, exchange } = await open();
  const answer = await exchange(get(url));
  expect(answer).toMatch(/^HTTP\/1.1 403 /);
  expect(answer).toContain(`Blocked by the sandbox: ${reason}`);
  const { host: name } = new URL(url);
  expect(await exchange(`CONNECT ${name.includes(':') ? name : `${name}:443`} HTTP/1.1\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 403 Forbidden/,
  );
  expect(host.requests).toEqual([]);
});

test.each([
  ['10.0.0.5', 'private'],
  ['127.0.0.1', 'loopback'],
  ['169.254.169.254', 'link-local'],
])('an allowed pattern does not lead to %s, whatever its name resolves to', async (address, kind) => {
  const network = {
    resolve: async () => [address],
    connect: () => {
      throw new Error('connected');
    },
  };
  const { exchange } = await open({ decide: async () => ({ kind: 'allow', entry: '*' }), network });
  expect(await exchange(get('http://rebound.test/'))).toContain(`rebound.test leads to the ${kind} address ${address}`);
});

test('an address of this machine in its network is not reached, neither as it is nor behind an allowed name', async () => {
  const own = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal);
  for (const { address } of own) {
    const network = {
      resolve: async () => [address],
      connect: () => {
        throw new Error('connected');
      },
    };
    const { exchange } = await open({ decide: async ({ host }) => ({ kind: 'allow', entry: host }), network });
    expect(await exchange(get(`http://${address}:7420/`))).toContain(`${address} is a loopback address`);
    expect(await exchange(get('http://lan.test/'))).toContain(`lan.test leads to the loopback address ${address}`);
  }
});

test('the host of a request is that of its URL, whatever its header says', async () => {
  const { host, exchange } = await open();
  await exchange('GET http://api.example.com/ HTTP/1.1\r\nhost: evil.test\r\nconnection: close\r\n\r\n');
  expect(host.requests).toEqual(['GET api.example.com/']);
});

test('a second request of a connection does not pass with the decision about the first', async () => {
  const { host, exchange } = await open();
  const first = 'GET http://api.example.com/one HTTP/1.1\r\nhost: api.example.com\r\n\r\n';
  const answers = await exchange(`${first}${get('http://evil.test/two')}`);
  expect(answers).toContain('hello from api.example.com');
  expect(host.requests).toEqual(['GET api.example.com/one']);
});

test.each([
  [
    'a body with two lengths',
    'POST http://api.example.com/ HTTP/1.1\r\nhost: api.example.com\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET http://evil.test/ HTTP/1.1\r\n\r\n',
  ],
  ['HTTP/2 without a tunnel', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a path without a host', 'GET /etc/passwd HTTP/1.1\r\nhost: api.example.com\r\nconnection: close\r\n\r\n'],
  ['another scheme', 'GET ftp://api.example.com/ HTTP/1.1\r\nhost: api.example.com\r\nconnection: close\r\n\r\n'],
  ['a tunnel without a host', 'CONNECT :443 HTTP/1.1\r\n\r\n'],
  ['a tunnel to a URL', 'CONNECT http://api.example.com:443/ HTTP/1.1\r\n\r\n'],
])('%s reaches no host', async (_what, text) => {
  const { host, exchange } = await open();
  expect(await exchange(text)).toMatch(/^HTTP\/1.1 40[03] /);
  expect(host.requests).toEqual([]);
});

test('a name is resolved only if it is allowed, so that a lookup carries nothing out', async () => {
  const resolved: string[] = [];
  const { host, exchange } = await open({
    network: {
      resolve: async (name) => {
        resolved.push(name);
        return ['93.184.215.14'];
      },
      connect: () => connect({ host: '127.0.0.1', port: host.port }),
    },
  });
  await exchange(get('http://secret-in-the-name.evil.test/'));
  await exchange(get('http://api.example.com/'));
  expect(resolved).toEqual(['api.example.com']);
});

test('closing ends the connections of the program', async () => {
  const decided = Promise.withResolvers<AbortSignal>();
  const { proxy, exchange } = await open({
    decide: (_to, signal) => {
      decided.resolve(signal);
      return new Promise(() => {});
    },
  });
  const answer = exchange(get('http://api.example.com/'));
  const signal = await decided.promise;
  proxy.close();
  expect(await answer).toBe('');
  expect(signal.aborted).toBe(true);
});

test.each([
  ['api.example.com', 'api.example.com', 443, true],
  ['api.example.com', 'api.example.com', 80, true],
  ['api.example.com', 'api.example.com', 22, false],
  ['api.example.com:22', 'api.example.com', 22, true],
  ['api.example.com:22', 'api.example.com', 443, false],
  ['*.example.com', 'a.b.example.com', 443, true],
  ['*.example.com', 'example.com', 443, false],
  ['*.example.com', 'badexample.com', 443, false],
  ['*', 'anything.test', 443, true],
  ['API.example.com', 'api.example.com', 443, true],
  ['[2001:db8::1]', '2001:db8::1', 443, true],
  ['[2001:db8::1]:8443', '2001:db8::1', 8443, true],
])('the entry %s allows %s on port %i: %s', (entry, host, port, isAllowed) => {
  expect(findHost([entry], { host, port })).toBe(isAllowed ? entry : undefined);
});

test('the entry for a destination allows it', () => {
  for (const to of [
    { host: 'a.test', port: 443 },
    { host: 'a.test', port: 8443 },
    { host: '2001:db8::1', port: 1 },
  ])
    expect(findHost([toEntry(to)], to)).toBeDefined();
});
