import type { IncomingMessage } from 'node:http';

/** The session a request's cookie carries. */
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

/** A `Set-Cookie` value that no script can read and no other site can send; without a session it takes the cookie away. */
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

/** Browsers share a host's cookies between its ports: two gateways on one machine need two names. */
function nameFor({ headers }: IncomingMessage): string {
  const port = /:(\d+)$/.exec(headers.host ?? '')?.[1];
  return port === undefined ? 'toolwharf-session' : `toolwharf-session-${port}`;
}
