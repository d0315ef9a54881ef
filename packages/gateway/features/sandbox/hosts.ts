/** Where a program wants to connect to. */
export interface Destination {
  /** In lower case; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Ports of entries that name none. */
const usualPorts = [80, 443];

/** The entry of a profile that allows a destination; undefined if none does. */
export function findHost(entries: readonly string[], { host, port }: Destination): string | undefined {
  return entries.find((entry) => {
    const [, name = '', named] = /^(.*?)(?::(\d+))?$/.exec(entry.startsWith('[') ? unwrap(entry) : entry) ?? [];
    if (named === undefined ? !usualPorts.includes(port) : Number(named) !== port) return false;
    const pattern = name.replaceAll('|', ':').toLowerCase();
    return pattern === '*' || pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)));
  });
}

/** `[::1]:80` with other separators, so that the colons of the address are not read as that of a port. */
function unwrap(entry: string): string {
  const end = entry.indexOf(']');
  return `${entry.slice(1, end).replaceAll(':', '|')}${entry.slice(end + 1)}`;
}

/** The entry that allows exactly one destination. */
export function toEntry({ host, port }: Destination): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return usualPorts.includes(port) ? name : `${name}:${port}`;
}
