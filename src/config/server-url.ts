/** Returns true for plain http to another machine, which is rejected unless the server sets `allowInsecure`. */
export function isInsecureUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !isLoopback(parsed.hostname);
}

/** Returns the problem of a server URL, or undefined. */
export function urlProblem(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (!parsed?.hostname) return 'must be a URL such as https://example.com/mcp';
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'must be an http or https URL';
  if (parsed.username || parsed.password) {
    return 'must not carry a user name or password: put them under authentication';
  }
  return undefined;
}

/** Replaces the user, password and query of a URL, or of the URLs in a text, by an ellipsis. */
export function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^/?#\s]*@/g, '//…@').replace(/\?\S+/g, '?…');
}

function isLoopback(hostname: string): boolean {
  if (hostname === '[::1]' || hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  return /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
