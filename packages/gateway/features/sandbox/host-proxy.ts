import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { BlockList, connect, isIP, isIPv6, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { messageOf } from '../../../contract/errors.ts';
import { type AddressKind, addressKind } from '../../../toolwharf/connections/http/address-kind.ts';
import type { Destination } from './hosts.ts';

/** Whether a program may connect; otherwise why not. */
export type HostVerdict =
  | { readonly kind: 'allow' /** The entry of the profile. */; readonly entry: string }
  | { readonly kind: 'deny'; readonly reason: string };

export interface HostProxyOptions {
  /** Decides each connection. Waits while a person is asked. */
  readonly decide: (to: Destination, signal: AbortSignal) => Promise<HostVerdict>;
  readonly network?: ProxyNetwork;
}

/** How the proxy reaches hosts; through the network of this machine by default. */
export interface ProxyNetwork {
  /** The addresses of a name. */
  resolve(host: string): Promise<readonly string[]>;
  connect(address: string, port: number): Socket;
}

export interface HostProxy {
  /** Serves the connections that a socket in a sandbox accepts. */
  serve(listening: Server): void;
  close(): void;
}

/**
 * An HTTP proxy for the program of one server: CONNECT and plain HTTP, to the hosts that `decide` allows. Names are resolved here, and
 * connections use the checked address, so that a name cannot lead to another machine than the one that was checked.
 */
export function createHostProxy({ decide, network = machineNetwork }: HostProxyOptions): HostProxy {
  const closing = new AbortController();
  const sockets = new Set<Socket>();
  const server = createServer();

  /** The address to connect to. Throws with the reason if the program may not. */
  async function permit(to: Destination, signal: AbortSignal): Promise<string> {
    // Nobody is asked about what no answer could allow. Names are resolved only then: a lookup could carry data out.
    const literal = isIP(to.host) ? kindOf(to.host) : /(^|\.)localhost$/.test(to.host) ? 'loopback' : undefined;
    if (literal === 'loopback' || literal === 'link-local')
      throw new Denial(`${to.host} is a ${literal} address, which no sandbox reaches`);
    const verdict = await decide(to, signal);
    if (verdict.kind === 'deny') throw new Denial(verdict.reason);
    const addresses = isIP(to.host) ? [to.host] : await network.resolve(to.host);
    const allowed = addresses.find((address) => isReachable(kindOf(address), verdict.entry));
    if (allowed !== undefined) return allowed;
    const kinds = addresses.map((address) => `the ${kindOf(address)} address ${address}`);
    throw new Denial(`${to.host} leads to ${kinds.join(' and ')}`);
  }

  function open(address: string, port: number): Socket {
    const socket = network.connect(address, port);
    track(socket);
    return socket;
  }

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  }

  server.on('connect', async (request: IncomingMessage, client: Socket, head: Buffer) => {
    const to = parseDestination(`http://${request.url}`);
    try {
      if (!to) throw new Denial('the address is invalid');
      const address = await permit(to, lifetimeOf(client, closing.signal));
      const upstream = open(address, to.port);
      upstream.once('connect', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.write(head);
        client.pipe(upstream).pipe(client);
      });
      upstream.once('error', (cause) => refuse(client, cause));
      upstream.once('close', () => client.destroy());
      client.once('close', () => upstream.destroy());
    } catch (cause) {
      refuse(client, cause);
    }
  });

  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const to = parseDestination(request.url ?? '');
    try {
      if (!to) throw new Denial('the proxy takes absolute http URLs');
      const address = await permit(to, lifetimeOf(request.socket, closing.signal));
      const { pathname, search, host } = new URL(request.url ?? '');
      const { 'proxy-connection': _, 'proxy-authorization': __, connection: ___, ...headers } = request.headers;
      const upstream = sendRequest({
        ...{ method: request.method, path: pathname + search, createConnection: () => open(address, to.port) },
        headers: { ...headers, host, connection: 'close' },
      });
      upstream.once('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      upstream.once('error', (cause) => refuse(response, cause));
      response.once('close', () => upstream.destroy());
      request.pipe(upstream);
    } catch (cause) {
      refuse(response, cause);
    }
  });

  return {
    serve(listening) {
      listening.on('error', () => {});
      listening.on('connection', (socket) => {
        track(socket);
        server.emit('connection', socket);
      });
      closing.signal.addEventListener('abort', () => listening.close(), { once: true });
      listening.unref();
    },
    close() {
      closing.abort();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** What the program reads if it may not connect. */
class Denial extends Error {}

function refuse(to: Socket | ServerResponse, cause: unknown): void {
  const isDenied = cause instanceof Denial;
  const status = isDenied ? 403 : 502;
  const text = isDenied ? `Blocked by the sandbox: ${cause.message}\n` : `${messageOf(cause)}\n`;
  if ('writeHead' in to) {
    if (to.headersSent) to.destroy();
    else to.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(text);
    return;
  }
  const head = [`HTTP/1.1 ${status} ${isDenied ? 'Forbidden' : 'Bad Gateway'}`, 'content-type: text/plain'];
  to.end(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`);
}

/** The kind of an address. Every address of this machine leads to it, like those of loopback. */
function kindOf(address: string): AddressKind {
  const own = new BlockList();
  for (const { address: one, family } of Object.values(networkInterfaces()).flatMap((found) => found ?? []))
    own.addAddress(one, family === 'IPv6' ? 'ipv6' : 'ipv4');
  return own.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ? 'loopback' : addressKind(address);
}

/** Private addresses must be named. The metadata service and the gateway itself are at addresses that no profile can allow. */
function isReachable(kind: AddressKind, entry: string): boolean {
  return kind === 'public' || (kind === 'private' && !entry.includes('*'));
}

function parseDestination(url: string): Destination | undefined {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'http:' || parsed.hostname === '') return undefined;
  const host = parsed.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  return { host, port: Number(parsed.port || 80) };
}

function lifetimeOf(socket: Socket, closing: AbortSignal): AbortSignal {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  return AbortSignal.any([closed.signal, closing]);
}

const machineNetwork: ProxyNetwork = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  connect: (host, port) => connect({ host, port }),
};
