import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../../contract/errors.ts';
import { readSessionCookie, toSessionCookie } from '../../core/auth/session-cookie.ts';
import { isForeignRead } from '../../core/http/guard.ts';
import { openIdToken, sealIdToken } from './id-token-cookie.ts';
import { redirect, scopeOf } from './redirect.ts';
import type { SignInPorts, SignInRoutes } from './sign-in-routes.ts';

const signOutPath = '/api/sign-out';

/** Ends the session of the app, and that at the identity provider if it offers RP-initiated logout. */
export function createSignOutRoute(ports: SignInPorts): SignInRoutes {
  const { provider, publicUrl, sessions, sealer, recheckAccess, log } = ports;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Other sites cannot sign people out.
    if (isForeignRead(request, [])) return redirect(response, '/');
    const base = publicUrl(request);
    const scope = scopeOf(base ?? '');
    const session = readSessionCookie(request);
    if (session !== undefined) await sessions.end(session);
    await recheckAccess(response);
    const location = await endSessionUrl(base, openIdToken(request, scope, sealer));
    redirect(response, location, [
      toSessionCookie(request, undefined, 0, scope.isSecure),
      sealIdToken(undefined, request, { ...scope, lifetimeMs: 0, sealer }),
    ]);
  }

  /** Where the provider ends its own session; the app if it does not offer that. */
  async function endSessionUrl(base: string | undefined, idToken: string | undefined): Promise<string> {
    // Without the ID token, the provider could not know whose session to end.
    if (base === undefined || idToken === undefined || !provider.settings()) return '/';
    try {
      const { library, client } = await provider.open();
      if (client.serverMetadata().end_session_endpoint === undefined) return '/';
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: `${base}/` };
      return library.buildEndSessionUrl(client, parameters).href;
    } catch (cause) {
      log.warning('sign-in.unavailable', messageOf(cause));
      return '/';
    }
  }

  return async (request, response, path) => {
    if (path !== signOutPath || request.method !== 'GET') return false;
    await serve(request, response);
    return true;
  };
}
