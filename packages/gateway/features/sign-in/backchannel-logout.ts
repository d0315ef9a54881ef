import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import { actAs } from '../../../toolwharf/storage/audit/acts.ts';
import { createSignInThrottle } from '../../core/auth/sign-in-throttle.ts';
import { sendJson } from '../../core/mcp/responder.ts';
import { recordAct } from '../../core/rest/record-act.ts';
import type { ProviderTokens } from './provider-tokens.ts';
import type { SignInPorts, SignInRoutes } from './sign-in-routes.ts';
import type { TokenClaims } from './to-user-claims.ts';

const path = '/api/sign-in/backchannel-logout';
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
const maxBytes = 16_384;
/** Older logout tokens are rejected; younger ones are accepted once. */
const maxAgeMs = 300_000;

/** The provider ends the sessions and tokens of a person at once (OpenID Connect Back-Channel Logout 1.0). */
export function createBackchannelLogout(ports: SignInPorts & { readonly tokens: ProviderTokens }): SignInRoutes {
  const { provider, tokens, ended, storage, recheckAccess, clientAddress, log } = ports;
  const throttle = createSignInThrottle({ store: storage.fleet?.limits, maxPerCredential: 100 });

  async function readLogout(token: string): Promise<TokenClaims | undefined> {
    const { clientId } = provider.settings() ?? {};
    const requiredClaims = ['iat', 'jti', 'events', 'sub'];
    const claims = await tokens.readClaims(token, {
      audience: clientId,
      requiredClaims,
      maxTokenAge: maxAgeMs / 1_000,
    });
    // A nonce would make it an ID token, which anyone who signed in has.
    if (!claims || claims.nonce !== undefined || !isObject(claims.events)) return undefined;
    return isObject(claims.events[logoutEvent]) ? claims : undefined;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number, text: string) =>
      sendJson(
        response,
        status,
        { error: 'invalid_request', error_description: text },
        { 'cache-control': 'no-store' },
      );
    const token = await readToken(request);
    if (token === undefined) return refuse(400, 'Send logout_token as a form');
    const claims = await readLogout(token);
    if (!claims) {
      const { retryAfterMs, isFirst } = await throttle.fail(clientAddress(request), 'logout');
      if (isFirst)
        log.info('sign-in.logout-refused', 'A logout token was not valid', { address: clientAddress(request) });
      return refuse(retryAfterMs > 0 ? 429 : 400, 'The logout token is not valid, or names no subject');
    }
    const once = { id: String(claims.jti), owner: 'logout-token', expiresAt: claims.iat * 1_000 + 2 * maxAgeMs };
    if (ended.has(once)) return refuse(400, 'The logout token was used before');
    await ended.add(once);
    const user = await storage.users.find(claims.iss, claims.sub);
    if (user) {
      const caller = { id: 'identity-provider', kind: 'program', name: claims.iss } as const;
      const act = { operation: 'endSessions', caller, details: { user: user.id } };
      await recordAct(act, { storage, log }, async () => {
        await actAs('sign-in', () => storage.users.endSessions(user.id, new Date().toISOString()));
      });
      await recheckAccess();
    }
    response.writeHead(200, { 'cache-control': 'no-store' }).end();
  }

  return async (request, response, requested) => {
    if (requested !== path || request.method !== 'POST' || !provider.settings()) return false;
    try {
      await serve(request, response);
    } catch (cause) {
      log.warning('sign-in.unavailable', messageOf(cause));
      sendJson(response, 503, { error: 'temporarily_unavailable' }, { 'cache-control': 'no-store' });
    }
    return true;
  };
}

async function readToken(request: IncomingMessage): Promise<string | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) return undefined;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8')).get('logout_token') ?? undefined;
}
