import { lookup } from 'node:dns/promises';
import { addressKind, literalAddress } from './address-kind.ts';
import type { MayReach } from './guard-addresses.ts';

/**
 * How far the word of whoever gave a server's address goes. `configured`: anywhere. `added`: anywhere too, but the server may not name
 * addresses closer to us than its own. `public`: public addresses only.
 */
export type Reach = 'configured' | 'added' | 'public';

/** Which addresses a server and what it names (its authorization server) may be at. */
export function serverReach(serverUrl: URL, reach: () => Reach): MayReach {
  return async (hostname, kind) => {
    if (kind === 'public') return true;
    const allowed = reach();
    if (allowed === 'public') return false;
    if (bare(hostname) === bare(serverUrl.hostname)) return true;
    // An operator's own network may hold the authorization server of a public address; no network has it on our machine or cable.
    if (allowed === 'configured' && kind === 'private') return true;
    return !(await isPublic(serverUrl));
  };
}

async function isPublic(url: URL): Promise<boolean> {
  const literal = literalAddress(url);
  if (literal !== undefined) return addressKind(literal) === 'public';
  const found = await lookup(bare(url.hostname), { all: true });
  return found.every(({ address }) => addressKind(address) === 'public');
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}
