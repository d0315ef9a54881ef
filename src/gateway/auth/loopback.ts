import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

// Requests repeat the same few addresses.
const cache = new Map<string, boolean>();
const maxCached = 100;

/** True for a loopback address or `localhost`. */
export function isLoopback(host: string): boolean {
  const cached = cache.get(host);
  if (cached !== undefined) return cached;
  const answer = checkLoopback(host);
  if (cache.size < maxCached) cache.set(host, answer);
  return answer;
}

function checkLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost') return true;
  const kind = isIP(name);
  return kind !== 0 && loopback.check(name, kind === 6 ? 'ipv6' : 'ipv4');
}
