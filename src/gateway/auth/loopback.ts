import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

// Every request asks about the same few addresses.
const known = new Map<string, boolean>();
const maxKnown = 100;

/** True for an address of this machine that no other machine can reach; `localhost` counts. */
export function isLoopback(host: string): boolean {
  const before = known.get(host);
  if (before !== undefined) return before;
  const answer = findOut(host);
  if (known.size < maxKnown) known.set(host, answer);
  return answer;
}

function findOut(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost') return true;
  const kind = isIP(name);
  return kind !== 0 && loopback.check(name, kind === 6 ? 'ipv6' : 'ipv4');
}
