import type { IncomingMessage } from 'node:http';

/** The session in a request's cookie. */
export function readSessionCookie(request: IncomingMessage): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  const name = nameFor(request);
  for (const part of cookie.split(';')) {
    const [key, value] = part.split('=', 2);
    if (key?.trim() === name) return value?.trim();
  }
  return undefined;
}

/** The `Set-Cookie` value for a session, hidden from scripts and other sites. Without a session it deletes the cookie. */
export function toSessionCookie(request: IncomingMessage, session: string | undefined, lifetimeMs: number): string {
  const seconds = session === undefined ? 0 : Math.floor(lifetimeMs / 1_000);
  const isSecure = /^https:/i.test(request.headers.origin ?? '');
  return [
    `${nameFor(request)}=${session ?? ''}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/** The port is part of the name, because browsers share cookies between the ports of a host. */
function nameFor({ headers }: IncomingMessage): string {
  const port = /:(\d+)$/.exec(headers.host ?? '')?.[1];
  return port === undefined ? 'toolwharf-session' : `toolwharf-session-${port}`;
}
