import { BlockList, isIP } from 'node:net';

/** The scope of an IP address: the internet, a private network, this machine, or its network link. */
export type AddressKind = 'public' | 'private' | 'loopback' | 'link-local';

// The unspecified addresses reach this machine too.
const loopback = listOf(
  [
    ['127.0.0.0', 8],
    ['0.0.0.0', 32],
  ],
  [
    ['::1', 128],
    ['::', 128],
  ],
);
// Cloud metadata services are at these addresses and hand out the machine's credentials.
const linkLocal = listOf(
  [['169.254.0.0', 16]],
  [
    ['fe80::', 10],
    ['fd00:ec2::254', 128],
  ],
);
const special = listOf(
  [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ],
  [
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
  ],
);
const globalUnicast = listOf([], [['2000::', 3]]);
const translated = listOf([], [['64:ff9b::', 96]]);
const mapped = listOf([], [['::ffff:0:0', 96]]);

/** The kind of an IP address. Anything that is not a known kind of address counts as private. */
export function addressKind(address: string): AddressKind {
  const plain = address.replace(/%.*$/, '');
  const version = isIP(plain);
  if (version === 0) return 'private';
  if (version === 4) return kindOf(plain, 'ipv4');
  if (mapped.check(plain, 'ipv6') || translated.check(plain, 'ipv6')) return kindOf(lastFour(plain), 'ipv4');
  const kind = kindOf(plain, 'ipv6');
  return kind === 'public' && !globalUnicast.check(plain, 'ipv6') ? 'private' : kind;
}

/** The IP address in a URL's host; undefined for a name, except that localhost counts as 127.0.0.1. */
export function literalAddress({ hostname }: URL): string | undefined {
  const plain = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(plain) !== 0) return plain;
  return /^(?:.+\.)?localhost\.?$/i.test(plain) ? '127.0.0.1' : undefined;
}

function kindOf(address: string, family: 'ipv4' | 'ipv6'): AddressKind {
  if (loopback.check(address, family)) return 'loopback';
  if (linkLocal.check(address, family)) return 'link-local';
  return special.check(address, family) ? 'private' : 'public';
}

/** The IPv4 address that an IPv6 address ends in. */
function lastFour(address: string): string {
  // The URL parser writes every such address in hexadecimal groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
  const [high = '0', low = '0'] = groups.slice(-2).map((group) => (group === '' ? '0' : group));
  const bits = Number.parseInt(high, 16) * 0x10000 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.');
}

type Subnet = readonly [address: string, prefix: number];

function listOf(four: readonly Subnet[], six: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of four) list.addSubnet(address, prefix, 'ipv4');
  for (const [address, prefix] of six) list.addSubnet(address, prefix, 'ipv6');
  return list;
}
