import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Sealer } from '../../../storage/sealer.ts';
import { type CookieScope, readCookie, toCookie } from '../session-cookie.ts';

/** A sign-in that the browser has begun. Only that browser has it, sealed in a cookie: any replica can finish it. */
export interface PendingSignIn {
  readonly id: string;
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnPath: string;
  readonly until: number;
}

const lifetimeMs = 600_000;
const name = 'toolwharf-sign-in';
const context = 'sign-in';

/** The cookie of a new sign-in. */
export function sealPending(
  pending: Omit<PendingSignIn, 'id' | 'until'>,
  request: IncomingMessage,
  scope: CookieScope,
  sealer: Sealer,
): string {
  const content: PendingSignIn = { ...pending, id: randomUUID(), until: Date.now() + lifetimeMs };
  const value = sealer.seal(JSON.stringify(content), context);
  // Lax: the provider sends the browser back from another site.
  return toCookie(request, { name, value, lifetimeMs, sameSite: 'Lax', ...scope });
}

/** The sign-in of the browser; undefined if it has none, or its time is up. */
export function readPending(request: IncomingMessage, scope: CookieScope, sealer: Sealer): PendingSignIn | undefined {
  const text = readCookie(request, name, scope);
  if (text === undefined) return undefined;
  try {
    const pending = JSON.parse(sealer.open(text, context)) as PendingSignIn;
    return pending.until > Date.now() ? pending : undefined;
  } catch {
    return undefined;
  }
}

/** Deletes the cookie. */
export function clearPending(request: IncomingMessage, scope: CookieScope): string {
  return toCookie(request, { name, sameSite: 'Lax', lifetimeMs: 0, ...scope });
}
