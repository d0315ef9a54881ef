import type { ServerResponse } from 'node:http';
import type { CookieScope } from '../../core/auth/session-cookie.ts';

/** Sends the browser to another address and sets cookies. */
export function redirect(response: ServerResponse, location: string, cookies: readonly string[] = []): void {
  response.writeHead(303, {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
  });
  response.end();
}

/** The scope of cookies at the public URL of the gateway. */
export function scopeOf(publicUrl: string): CookieScope {
  return { isSecure: publicUrl.startsWith('https:') };
}
