import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { ConnectionError } from '../../../contract/errors.ts';
import { type AddressKind, addressKind, literalAddress } from './address-kind.ts';

/** Decides whether a host may be reached at an address of this kind. */
export type MayReach = (hostname: string, kind: AddressKind) => boolean | Promise<boolean>;

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
export type Lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => void;

export interface AddressGuard {
  /** Rejects with SERVER_UNREACHABLE if the host of a URL is an address that may not be reached. `lookup` checks names. */
  readonly assertReachable: (url: URL) => Promise<void> | undefined;
  /**
   * Resolves a name and refuses it if any of its addresses may not be reached. The connection uses the addresses that
   * were checked, so a name server that later returns another address (DNS rebinding) changes nothing.
   */
  readonly lookup: Lookup;
}

/** Restricts connections by address, not by name. */
export function guardAddresses(mayReach: MayReach, lookup: Lookup = lookUpLoopbackLocally): AddressGuard {
  let last: { readonly hostname: string; readonly address?: string; readonly kind?: AddressKind } | undefined;

  async function assertAddresses(hostname: string, addresses: readonly string[]): Promise<void> {
    for (const address of addresses) {
      const kind = addressKind(address);
      if (!(await mayReach(hostname, kind))) throw refusal(hostname, address, kind);
    }
  }

  return {
    assertReachable(url) {
      const { hostname } = url;
      // Cached, because nearly all calls go to the same host and classifying an address is costly.
      if (last?.hostname !== hostname) last = { hostname, ...literalOf(url) };
      const { address, kind } = last;
      if (address === undefined || kind === undefined || mayReach(hostname, kind) === true) return undefined;
      return assertAddresses(hostname, [address]);
    },
    lookup(hostname, options, callback) {
      lookup(hostname, options, (error, found, family) => {
        if (error) return callback(error, found, family);
        const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
        assertAddresses(hostname, addresses).then(
          () => callback(null, found, family),
          (cause: unknown) => callback(cause as NodeJS.ErrnoException, found, family),
        );
      });
    },
  };
}

function literalOf(url: URL): { readonly address?: string; readonly kind?: AddressKind } {
  const address = literalAddress(url);
  return address === undefined ? {} : { address, kind: addressKind(address) };
}

/** Resolves names under .localhost to this machine, whatever a name server says (RFC 6761): plain http is allowed there. */
export function lookUpLoopbackLocally(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  systemLookup(/\.localhost$/i.test(hostname) ? 'localhost' : hostname, options, callback);
}

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

const descriptions: Readonly<Record<AddressKind, string>> = {
  public: 'a public address',
  private: 'a private or reserved address',
  loopback: 'an address of this machine',
  'link-local': 'a link-local address, where clouds keep credentials',
};

function refusal(hostname: string, address: string, kind: AddressKind): ConnectionError {
  const host = hostname.includes(address) ? `'${hostname}'` : `'${hostname}' (${address})`;
  return new ConnectionError(
    'SERVER_UNREACHABLE',
    `${host} is ${descriptions[kind]}, which a server that was added over the API may not use or refer to. To allow it, set gateway.allowPrivateAddresses, or put the server into the configuration file`,
    { data: { reached: false } },
  );
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
