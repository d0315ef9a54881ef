import { lookup } from 'node:dns/promises';
import { type AddressKind, addressKind, literalAddress } from './address-kind.ts';
import type { MayReach } from './guard-addresses.ts';

/**
 * Which addresses a server may be at, by the origin of its configuration. `configured`: any. `added`: any, but the
 * servers it refers to may not be on a network closer to us than its own. `public`: public addresses only.
 */
export type Reach = 'configured' | 'added' | 'public';

/** Decides which addresses a server, and the authorization server it refers to, may be at. */
export function serverReach(serverUrl: URL, reach: () => Reach): MayReach {
  return (hostname, kind) => {
    if (kind === 'public') return true;
    const allowed = reach();
    if (allowed === 'public') return false;
    if (withoutBrackets(hostname) === withoutBrackets(serverUrl.hostname)) return true;
    // The authorization server of a public server may be on a private network, but not on this machine or its link.
    if (allowed === 'configured' && kind === 'private') return true;
    return kindsOf(serverUrl).then((own) => own.has(kind) || (kind === 'private' && own.has('loopback')));
  };
}

async function kindsOf(url: URL): Promise<ReadonlySet<AddressKind>> {
  const literal = literalAddress(url);
  if (literal !== undefined) return new Set([addressKind(literal)]);
  const found = await lookup(withoutBrackets(url.hostname), { all: true });
  return new Set(found.map(({ address }) => addressKind(address)));
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}
