import { lookup } from 'node:dns/promises';
import { type AddressKind, addressKind, literalAddress } from './address-kind.ts';
import type { MayReach } from './guard-addresses.ts';

/**
 * How far the word of whoever gave a server's address goes. `configured`: anywhere. `added`: anywhere too, but what the server names may
 * not be closer to us than itself. `public`: public addresses only.
 */
export type Reach = 'configured' | 'added' | 'public';

/** Which addresses a server and what it names (its authorization server) may be at. */
export function serverReach(serverUrl: URL, reach: () => Reach): MayReach {
  return (hostname, kind) => {
    if (kind === 'public') return true;
    const allowed = reach();
    if (allowed === 'public') return false;
    if (bare(hostname) === bare(serverUrl.hostname)) return true;
    // An operator's own network may hold the authorization server of a public server; our machine and its cable never do.
    if (allowed === 'configured' && kind === 'private') return true;
    return kindsOf(serverUrl).then((own) => own.has(kind) || (kind === 'private' && own.has('loopback')));
  };
}

async function kindsOf(url: URL): Promise<ReadonlySet<AddressKind>> {
  const literal = literalAddress(url);
  if (literal !== undefined) return new Set([addressKind(literal)]);
  const found = await lookup(bare(url.hostname), { all: true });
  return new Set(found.map(({ address }) => addressKind(address)));
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}
