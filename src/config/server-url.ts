/** True for plain http to an address that is not this machine: refused unless the server says `allowInsecure`. */
export function isInsecureUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !isLoopback(parsed.hostname);
}

/** What is wrong with a server's address, or undefined. */
export function urlProblem(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (!parsed?.hostname) return 'must be a URL such as https://example.com/mcp';
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'must be an http or https URL';
  if (parsed.username || parsed.password) {
    return 'must not carry a user name or password: put them under authentication';
  }
  return undefined;
}

/** A URL, or any text with one, without what may be secret: user, password and query. */
export function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^/?#\s]*@/g, '//…@').replace(/\?\S+/g, '?…');
}

function isLoopback(hostname: string): boolean {
  if (hostname === '[::1]' || hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  return /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
