import { createLoopbackCallback } from '../../connections/authentication/loopback-callback.ts';
import type { OAuthCallback } from '../../connections/authentication/oauth-callback.ts';
import { oneLine } from './layout.ts';
import type { Terminal } from './terminal.ts';

/** Signs a person in to a server: the address is shown, never opened, and the browser comes back to this machine. */
export function createTerminalSignIn(terminal: Terminal): OAuthCallback {
  return createLoopbackCallback({
    open: (url, server) => terminal.note(`Sign in to server '${oneLine(server)}' at:\n  ${oneLine(url.href)}`),
  });
}
