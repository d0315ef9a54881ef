import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * The address of the client that sent a request. Forwarding headers count only from trusted proxies, given as addresses
 * or CIDR ranges: the last address in the header that is not a trusted proxy is the client.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = new BlockList();
  for (const range of trustedProxies) {
    const [address = '', bits] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

  function lastUntrusted(addresses: readonly string[], socketAddress: string): string {
    let client = socketAddress;
    for (const hop of addresses.toReversed()) {
      const address = toAddress(hop);
      if (address === undefined) return client;
      client = address;
      if (!isTrusted(address)) return client;
    }
    return client;
  }

  return ({ socket, headers }) => {
    const socketAddress = toAddress(socket.remoteAddress ?? '') ?? '';
    if (trustedProxies.length === 0 || socketAddress === '' || !isTrusted(socketAddress)) return socketAddress;
    const forwardedFor = headers['x-forwarded-for'];
    const { forwarded } = headers;
    const found = [
      ...(forwardedFor === undefined ? [] : [String(forwardedFor).split(',')]),
      ...(forwarded === undefined ? [] : [forwarded.split(',').map(forParameter)]),
    ].map((hops) => lastUntrusted(hops, socketAddress));
    // Proxies usually set one of the headers and pass on the other as the client wrote it.
    return found.length === 2 && found[0] !== found[1] ? socketAddress : (found[0] ?? socketAddress);
  };
}

/** The same with the trusted proxies of the current configuration. */
export function createConfiguredAddress(source: {
  readonly config: { readonly gateway: { readonly trustedProxies: readonly string[] } };
}): (request: IncomingMessage) => string {
  let known: { readonly trusted: readonly string[]; readonly find: (request: IncomingMessage) => string } | undefined;
  return (request) => {
    const trusted = source.config.gateway.trustedProxies;
    if (known?.trusted !== trusted) known = { trusted, find: createClientAddress(trusted) };
    return known.find(request);
  };
}

function forParameter(element: string): string {
  return /(?:^|;)\s*for="?([^";]+)"?/i.exec(element)?.[1] ?? '';
}

/** The IP address without port and brackets; an IPv4-mapped address as IPv4. Undefined if there is none. */
function toAddress(hop: string): string | undefined {
  const text = hop.trim();
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  return isIP(mapped) === 0 ? undefined : mapped;
}
