import type { IncomingMessage } from 'node:http';
import type { Sealer } from '../../../toolwharf/storage/sealer.ts';
import { type CookieScope, readCookie, toCookie } from '../../core/auth/session-cookie.ts';

const name = 'toolwharf-id-token';

export interface IdTokenCookie extends CookieScope {
  readonly lifetimeMs: number;
  readonly sealer: Sealer;
}

/** The cookie with the ID token that the sign-out sends to the provider. Without a token it deletes the cookie. */
export function sealIdToken(
  idToken: string | undefined,
  request: IncomingMessage,
  { isSecure, lifetimeMs, sealer }: IdTokenCookie,
): string {
  const sealed = idToken === undefined ? undefined : sealer.seal(idToken, name);
  // Browsers ignore larger cookies.
  const value = sealed !== undefined && sealed.length <= 3_800 ? sealed : undefined;
  return toCookie(request, { name, value, lifetimeMs, sameSite: 'Strict', isSecure });
}

/** The ID token in the cookie of a browser. */
export function openIdToken(request: IncomingMessage, scope: CookieScope, sealer: Sealer): string | undefined {
  const sealed = readCookie(request, name, scope);
  try {
    return sealed === undefined ? undefined : sealer.open(sealed, name);
  } catch {
    return undefined;
  }
}
