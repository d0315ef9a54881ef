import type { IncomingMessage } from 'node:http';
import { isEncrypted } from '../http/guard.ts';

/** How browsers reach the gateway, as far as it matters for cookies. */
export interface CookieScope {
  /** Over https only. Such a cookie is also bound to this host: no other host of the domain can set it. */
  readonly isSecure: boolean;
}

export interface Cookie extends CookieScope {
  readonly name: string;
  /** Undefined deletes the cookie. */
  readonly value?: string;
  readonly lifetimeMs: number;
  readonly sameSite: 'Strict' | 'Lax';
}

/** The value of a cookie that `toCookie` set. */
export function readCookie(request: IncomingMessage, name: string, { isSecure }: CookieScope): string | undefined {
  return find(request, isSecure ? `__Host-${name}` : nameFor(name, request));
}

/** A `Set-Cookie` value, hidden from scripts. */
export function toCookie(request: IncomingMessage, cookie: Cookie): string {
  const { name, isSecure } = cookie;
  return format({ ...cookie, name: isSecure ? `__Host-${name}` : nameFor(name, request) });
}

const sessionName = 'toolwharf-session';

/** The session in a request's cookie. */
export function readSessionCookie(request: IncomingMessage): string | undefined {
  return request.headers.cookie === undefined ? undefined : find(request, nameFor(sessionName, request));
}

/** The `Set-Cookie` value for a session, hidden from scripts and other sites. Without a session it deletes the cookie. */
export function toSessionCookie(
  request: IncomingMessage,
  session: string | undefined,
  lifetimeMs: number,
  isSecure = isEncrypted(request.socket) || /^https:/i.test(request.headers.origin ?? ''),
): string {
  return format({ name: nameFor(sessionName, request), value: session, lifetimeMs, sameSite: 'Strict', isSecure });
}

function find({ headers: { cookie = '' } }: IncomingMessage, name: string): string | undefined {
  for (const part of cookie.split(';')) {
    const [key, value] = part.split('=', 2);
    if (key?.trim() === name) return value?.trim();
  }
  return undefined;
}

function format({ name, value, lifetimeMs, sameSite, isSecure }: Cookie): string {
  return [
    `${name}=${value ?? ''}`,
    'Path=/',
    `Max-Age=${value === undefined ? 0 : Math.floor(lifetimeMs / 1_000)}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/** The port is part of the name, because browsers share cookies between the ports of a host. */
function nameFor(name: string, { headers }: IncomingMessage): string {
  const port = /:(\d+)$/.exec(headers.host ?? '')?.[1];
  return port === undefined ? name : `${name}-${port}`;
}
