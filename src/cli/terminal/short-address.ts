/** A server's address for a table: a program's is the hash of its command, of which the beginning is enough. */
export function shortAddress(address: string | undefined): string {
  return (address ?? 'local').replace(/^(stdio:[0-9a-f]{12})[0-9a-f]+$/, '$1…');
}
