import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The secret of the browser that started a sign-in to a server, which the redirect of the sign-in must bring back. */
export function readBrowserCookie(request: IncomingMessage): string | undefined {
  const name = nameFor(request);
  const found = (request.headers.cookie ?? '').split(';').map((part) => part.trim());
  const value = found.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** Creates the secret of a browser. A browser that has one keeps it, so that several sign-ins can be open at a time. */
export function giveBrowserCookie(request: IncomingMessage): { readonly browser: string; readonly cookie: string } {
  const browser = readBrowserCookie(request) ?? randomBytes(32).toString('base64url');
  const isSecure = /^https:/i.test(request.headers.origin ?? '');
  // Lax: the browser sends it when the authorization server, which is another site, redirects to the gateway.
  const parts = ['Path=/api', 'Max-Age=3600', 'HttpOnly', 'SameSite=Lax'];
  return { browser, cookie: [`${nameFor(request)}=${browser}`, ...parts, ...(isSecure ? ['Secure'] : [])].join('; ') };
}

/** The port is part of the name, because browsers share cookies between the ports of a host. */
function nameFor({ headers }: IncomingMessage): string {
  const port = /:(\d+)$/.exec(headers.host ?? '')?.[1];
  return port === undefined ? 'toolwharf-browser' : `toolwharf-browser-${port}`;
}
