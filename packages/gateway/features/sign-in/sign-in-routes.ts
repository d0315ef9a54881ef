import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { actAs } from '../../../toolwharf/storage/audit/acts.ts';
import type { User } from '../../../toolwharf/storage/ports/user-store.ts';
import type { Sealer } from '../../../toolwharf/storage/sealer.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { AppSessions } from '../../core/auth/app-sessions.ts';
import { hasClaim } from '../../core/auth/claims.ts';
import type { EndableSession, EndedSessions } from '../../core/auth/ended-sessions.ts';
import type { OpenRequests } from '../../core/auth/open-requests.ts';
import { type CookieScope, readCookie, toCookie, toSessionCookie } from '../../core/auth/session-cookie.ts';
import { createSignInThrottle } from '../../core/auth/sign-in-throttle.ts';
import { toIdentity } from '../../core/auth/users.ts';
import { recordAct } from '../../core/rest/record-act.ts';
import { sealIdToken } from './id-token-cookie.ts';
import type { IdentityProvider, OpenedProvider } from './identity-provider.ts';
import type { PublicUrl } from './public-url.ts';
import { redirect, scopeOf } from './redirect.ts';
import { type TokenClaims, toUserClaims } from './to-user-claims.ts';

const pendingMs = 600_000;
const pendingCookie = 'toolwharf-sign-in';
const sealContext = 'sign-in';

const maxPathLength = 500;
const anyOrigin = 'http://gateway.invalid';

/** Begins a sign-in of a person. The browser opens it as a page. */
const signInPath = '/api/sign-in';
/** The redirect URI that is registered at the identity provider. */
const callbackPath = '/api/sign-in/callback';

/** Why a sign-in failed. The app explains each code; nothing from the request is shown. */
type SignInProblem = 'denied' | 'disabled' | 'expired' | 'failed' | 'no-access' | 'too-many' | 'unavailable';

export interface SignInPorts {
  readonly provider: IdentityProvider;
  readonly publicUrl: PublicUrl;
  readonly sessions: AppSessions;
  readonly ended: Pick<EndedSessions, 'has' | 'add'>;
  /** Seals what the browser keeps. The same on every replica. */
  readonly sealer: Sealer;
  readonly storage: Pick<Storage, 'users' | 'roles' | 'journal' | 'fleet'>;
  readonly recheckAccess: OpenRequests['recheck'];
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly log: Log;
}

/** Serves the pages of a sign-in; false for other requests. */
export type SignInRoutes = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<boolean>;

/** Sign-in with authorization code, PKCE, state and nonce. */
export function createSignInRoutes(ports: SignInPorts): SignInRoutes {
  const { provider, publicUrl, sessions, ended, sealer, storage, recheckAccess, clientAddress, log } = ports;
  // Each callback costs a request to the provider. An office may share one address.
  const throttle = createSignInThrottle({ store: storage.fleet?.limits, maxPerCredential: 100 });

  function fail(response: ServerResponse, problem: SignInProblem, cookies: readonly string[] = []): void {
    redirect(response, `/?sign-in=${problem}`, cookies);
  }

  async function open(response: ServerResponse): Promise<OpenedProvider | undefined> {
    try {
      return await provider.open();
    } catch (cause) {
      log.warning('sign-in.unavailable', messageOf(cause));
      return void fail(response, 'unavailable');
    }
  }

  async function start(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const base = publicUrl(request);
    if (base === undefined) {
      log.warning('sign-in.unavailable', 'Nobody can sign in: set gateway.url to the address of the gateway');
      return fail(response, 'unavailable');
    }
    const query = new URL(request.url ?? '/', base).searchParams;
    const returnPath = toReturnPath(query.get('return'));
    // The provider returns to this address, and only there the browser shows its cookie. Proxies may change `Host`.
    if (request.headers.host !== new URL(base).host && !query.has('here'))
      return redirect(response, `${base}${signInPath}?${new URLSearchParams({ here: '1', return: returnPath })}`);
    const opened = await open(response);
    if (!opened) return;
    const { library, client, settings } = opened;
    const [state, nonce, verifier] = [library.randomState(), library.randomNonce(), library.randomPKCECodeVerifier()];
    const url = library.buildAuthorizationUrl(client, {
      redirect_uri: `${base}${callbackPath}`,
      scope: settings.scopes.join(' '),
      state,
      nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const pending = { issuer: settings.issuer, state, nonce, verifier, returnPath };
    redirect(response, url.href, [sealPending(pending, request, scopeOf(base), sealer)]);
  }

  async function finish(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const base = publicUrl(request) ?? 'http://localhost';
    const url = new URL(`${callbackPath}${new URL(request.url ?? '/', base).search}`, base);
    const pending = readPending(request, scopeOf(base), sealer);
    // A response that this browser did not ask for does not end the sign-in that it waits for.
    if (!pending || url.searchParams.get('state') !== pending.state) return fail(response, 'expired');
    const done = [clearPending(request, scopeOf(base))];
    if (ended.has(toEndable(pending)) || pending.issuer !== provider.settings()?.issuer)
      return fail(response, 'expired', done);
    const { retryAfterMs } = await throttle.fail(clientAddress(request), 'sign-in');
    if (retryAfterMs > 0) return fail(response, 'too-many', done);
    await ended.add(toEndable(pending));
    const opened = await open(response);
    if (!opened) return;
    try {
      const { claims, idToken } = await exchange(url, pending, opened);
      const user = await saveUser(claims, opened);
      if (typeof user === 'string') return fail(response, user, done);
      const session = await openSession(user);
      const { isSecure } = scopeOf(base);
      redirect(response, pending.returnPath, [
        ...done,
        toSessionCookie(request, session, sessions.lifetimeMs, isSecure),
        sealIdToken(idToken, request, { isSecure, lifetimeMs: sessions.lifetimeMs, sealer }),
      ]);
    } catch (cause) {
      log.warning('sign-in.failed', `A sign-in failed: ${messageOf(cause)}`);
      const isDenied = cause instanceof opened.library.AuthorizationResponseError && cause.error === 'access_denied';
      fail(response, isDenied ? 'denied' : 'failed', done);
    }
  }

  /** Exchanges the code. The library checks state, issuer, nonce, audience and the signature of the ID token. */
  async function exchange(url: URL, pending: PendingSignIn, { library, client, settings }: OpenedProvider) {
    const tokens = await library.authorizationCodeGrant(client, url, {
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      pkceCodeVerifier: pending.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new ToolwharfError('OAUTH_FAILED', 'The identity provider sent no ID token');
    const isComplete = hasClaim(claims, settings.groupsClaim) && (claims.name ?? claims.email) !== undefined;
    const hasUserInfo = client.serverMetadata().userinfo_endpoint !== undefined;
    const more = isComplete || !hasUserInfo ? {} : await library.fetchUserInfo(client, tokens.access_token, claims.sub);
    return { claims: { ...more, ...claims } as TokenClaims, idToken: tokens.id_token };
  }

  /** The user with the role of this sign-in; why there is none. Strangers without access are not stored. */
  async function saveUser(claims: TokenClaims, { settings }: OpenedProvider): Promise<User | SignInProblem> {
    const said = toUserClaims(claims, settings);
    if (!said) return 'failed';
    const before = await storage.users.find(said.issuer, said.subject);
    if (!before && said.roles.length === 0) {
      log.info('sign-in.no-access', 'A person without a role tried to sign in', { groups: said.groups.length });
      return 'no-access';
    }
    const user = await actAs('sign-in', () => storage.users.save(randomUUID(), said));
    if (before && before.sessionVersion !== user.sessionVersion) await recheckAccess();
    if (user.disabledAt !== undefined) return 'disabled';
    return user.roles.length === 0 ? 'no-access' : user;
  }

  async function openSession(user: User): Promise<string> {
    const { caller } = await toIdentity(user, storage.roles);
    const act = { operation: 'signIn', caller, details: { roles: [...user.roles], profile: user.profile } };
    const holder = { kind: 'user', id: user.id, version: user.sessionVersion } as const;
    return recordAct(act, { storage, log }, async () => sessions.open(holder));
  }

  return async (request, response, path) => {
    const serve = path === signInPath ? start : path === callbackPath ? finish : undefined;
    if (!serve || request.method !== 'GET' || !provider.settings()) return false;
    await serve(request, response);
    return true;
  };
}

/** The page of the app to open after a sign-in. Anything but a path of the app becomes `/`: never another site. */
export function toReturnPath(asked: string | null): string {
  if (asked === null || asked.length > maxPathLength || !asked.startsWith('/')) return '/';
  const url = URL.parse(asked, anyOrigin);
  // The parser knows what browsers make of `//`, `/\`, tabs and line breaks.
  if (!url || url.origin !== anyOrigin || url.username !== '') return '/';
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith('//') || /^\/(?:api|mcp|a2a|\.well-known)(?:[/?#]|$)/.test(path) ? '/' : path;
}

/** A sign-in that the browser has begun. Only that browser has it, sealed in a cookie: any replica can finish it. */
interface PendingSignIn {
  readonly id: string;
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnPath: string;
  readonly until: number;
}

/** A sign-in is used once. */
function toEndable({ id, until }: PendingSignIn): EndableSession {
  return { id, owner: 'sign-in', expiresAt: until };
}

/** The cookie of a new sign-in. */
function sealPending(
  pending: Omit<PendingSignIn, 'id' | 'until'>,
  request: IncomingMessage,
  scope: CookieScope,
  sealer: Sealer,
): string {
  const content: PendingSignIn = { ...pending, id: randomUUID(), until: Date.now() + pendingMs };
  const value = sealer.seal(JSON.stringify(content), sealContext);
  // Lax: the provider sends the browser back from another site.
  return toCookie(request, { name: pendingCookie, value, lifetimeMs: pendingMs, sameSite: 'Lax', ...scope });
}

/** The sign-in of the browser; undefined if it has none, or its time is up. */
function readPending(request: IncomingMessage, scope: CookieScope, sealer: Sealer): PendingSignIn | undefined {
  const text = readCookie(request, pendingCookie, scope);
  if (text === undefined) return undefined;
  try {
    const pending = JSON.parse(sealer.open(text, sealContext)) as PendingSignIn;
    return pending.until > Date.now() ? pending : undefined;
  } catch {
    return undefined;
  }
}

/** Deletes the cookie. */
function clearPending(request: IncomingMessage, scope: CookieScope): string {
  return toCookie(request, { name: pendingCookie, sameSite: 'Lax', lifetimeMs: 0, ...scope });
}
