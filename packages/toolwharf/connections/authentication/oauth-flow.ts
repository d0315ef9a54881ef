import {
  type AuthorizationServerMetadata,
  auth,
  exchangeAuthorization,
  type OAuthDiscoveryState,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { hashOf } from '../../kernel/canonical-json.ts';
import { tokenAuthentication } from './client-authentication.ts';
import { isSameIssuer, type OAuthContext, withConfiguredSecret } from './oauth-context.ts';
import { issuerOf } from './oauth-discovery.ts';
import { adviceFor, isFinalRefusal, oauthFailed, printable } from './oauth-errors.ts';
import { assertSecureEndpoint } from './oauth-fetch.ts';
import { createSignInProvider, knownClient } from './oauth-provider.ts';
import { restMs } from './oauth-shared.ts';
import type { DeletedSignIn, OAuthPending, OAuthTokensRecord } from './oauth-store.ts';

export interface BeginOptions {
  readonly redirectUrl: string;
  readonly discovery: OAuthDiscoveryState;
  readonly scope?: string;
}

/** Begins a sign-in: registers a client if needed and returns the URL for the browser. Sends no secrets. */
export async function beginSignIn(context: OAuthContext, options: BeginOptions): Promise<OAuthPending> {
  const { server, serverUrl, serverKey, store, settings, fetch: fetchFn } = context;
  const { redirectUrl, discovery, scope } = options;
  const provider = createSignInProvider(context, options);
  await assertCanIdentify(context, options);
  // Tokens are refreshed elsewhere: the SDK would log the refusal, and ask a person when a server is merely down.
  await auth(provider, { serverUrl, fetchFn, forceReauthorization: true, scope });

  const { state, codeVerifier, authorizationUrl } = provider.begun;
  const issuer = issuerOf(discovery);
  const client = await provider.clientInformation({ issuer });
  if (!authorizationUrl || !codeVerifier || !client) throw oauthFailed(server, 'no sign-in URL could be built');
  assertSecureEndpoint(authorizationUrl, context);
  const { client_secret: secret, ...identity } = client;
  const configured = client.client_id === settings.clientId;
  const requested = authorizationUrl.searchParams;
  const pending: OAuthPending = {
    state,
    codeVerifier,
    redirectUrl,
    discovery,
    authorizationUrl: authorizationUrl.href,
    startedAt: context.clock.now(),
    client: { ...identity, issuer, ...(secret !== undefined && !configured && { client_secret: secret }) },
    scope: requested.get('scope') ?? undefined,
    resource: requested.get('resource') ?? undefined,
  };
  const previous = await store.get(serverKey, 'pending');
  // Removes unfinished sign-ins: otherwise each start would leave a record.
  if (previous && pending.startedAt - previous.startedAt >= restMs)
    await store.delete(serverKey, 'pending', pendingId(previous.state));
  // Several sign-ins can be pending: each redirect finds its own by the state. The latest is offered to others.
  await store.set(serverKey, 'pending', pending, pendingId(state));
  await store.set(serverKey, 'pending', pending);
  return pending;
}

/** The sign-in that a redirect belongs to. Any replica may have started it. */
export async function findPending(
  { store, serverKey }: Pick<OAuthContext, 'store' | 'serverKey'>,
  params: URLSearchParams,
): Promise<OAuthPending | undefined> {
  const state = params.get('state') ?? '';
  const pending = (await store.get(serverKey, 'pending', pendingId(state))) ?? (await store.get(serverKey, 'pending'));
  return pending?.state === state ? pending : undefined;
}

/** The state is a secret; its hash is not. */
function pendingId(state: string): string {
  return hashOf(state).slice(0, 32);
}

/** Completes a sign-in with the query of the redirect. State and issuer are checked before anything is sent. */
export async function finishSignIn(
  context: OAuthContext,
  pending: OAuthPending,
  params: URLSearchParams,
): Promise<OAuthTokensRecord> {
  const { server, serverKey, store, settings, fetch: fetchFn } = context;
  const { discovery, client, redirectUrl, codeVerifier, resource, scope } = pending;
  if (params.get('state') !== pending.state) {
    throw oauthFailed(server, 'the redirect belongs to another sign-in than the one that was started. Start again');
  }
  context.trace.addRedirect(params);
  // A code can be used once, so this sign-in ends here whatever happens.
  await store.delete(serverKey, 'pending', pendingId(pending.state));
  if ((await store.get(serverKey, 'pending'))?.state === pending.state) await store.delete(serverKey, 'pending');
  const metadata = discovery.authorizationServerMetadata;
  const iss = params.get('iss') ?? undefined;
  const code = params.get('code');
  if (!code) {
    const reason = refusalIn(params, iss, metadata);
    // A client that registers again registers the scope that it requests.
    if (params.get('error') === 'invalid_scope' && client.redirect_uris && !(await store.get(serverKey, 'tokens')))
      await store.delete(serverKey, 'client');
    throw oauthFailed(server, reason);
  }
  try {
    const clientInformation = withConfiguredSecret(client, settings);
    const tokens = await exchangeAuthorization(discovery.authorizationServerUrl, {
      clientInformation,
      addClientAuthentication: tokenAuthentication(clientInformation),
      authorizationCode: code,
      codeVerifier,
      redirectUri: redirectUrl,
      fetchFn,
      metadata,
      iss,
      resource,
    });
    await store.set(serverKey, 'client', client);
    await store.set(serverKey, 'discovery', discovery);
    return await saveTokens(context, tokens, { issuer: client.issuer, resource, scope });
  } catch (cause) {
    if (isUnknownClient(cause)) await store.delete(serverKey, 'client');
    throw cause;
  }
}

/** Refreshes tokens. Deletes them and returns undefined if the authorization server no longer accepts them. */
export async function refreshTokens(
  context: OAuthContext,
  tokens: OAuthTokensRecord,
  discovery: OAuthDiscoveryState,
): Promise<OAuthTokensRecord | undefined> {
  const { serverKey, store, fetch: fetchFn } = context;
  const client = await knownClient(context);
  if (!tokens.refresh_token || !client || !isSameIssuer(client.issuer, tokens.issuer)) return undefined;
  try {
    const fresh = await refreshAuthorization(discovery.authorizationServerUrl, {
      clientInformation: client,
      addClientAuthentication: tokenAuthentication(client),
      refreshToken: tokens.refresh_token,
      fetchFn,
      metadata: discovery.authorizationServerMetadata,
      resource: tokens.resource,
    });
    if (!(await store.get(serverKey, 'tokens'))) {
      // Somebody signed out meanwhile.
      context.revoke({ tokens: { ...fresh, issuer: tokens.issuer }, client, discovery });
      return undefined;
    }
    await store.set(serverKey, 'discovery', discovery);
    return await saveTokens(context, fresh, tokens);
  } catch (cause) {
    if (!isFinalRefusal(cause)) throw cause;
    const stored = await store.get(serverKey, 'tokens');
    // Another process may have refreshed first: then its tokens are the valid ones.
    if (stored && stored.refresh_token !== tokens.refresh_token) return stored;
    await store.delete(serverKey, 'tokens');
    if (isUnknownClient(cause)) await store.delete(serverKey, 'client');
    return undefined;
  }
}

/** Deletes the tokens, and returns the records that a revocation needs. If several processes do this at once, one gets them. */
export async function takeSignIn(context: OAuthContext): Promise<DeletedSignIn | undefined> {
  const { serverKey, store } = context;
  try {
    // Read first: as soon as the tokens are gone, another process may delete the rest.
    const client = await knownClient(context);
    const discovery = await store.get(serverKey, 'discovery');
    const tokens = await (store.take?.(serverKey, 'tokens') ?? store.get(serverKey, 'tokens'));
    return tokens && { tokens, client, discovery };
  } catch {
    // Records that cannot be read are deleted all the same.
    return undefined;
  }
}

/** Fails early, with advice, if there is no client that the authorization server would accept. */
async function assertCanIdentify(context: OAuthContext, { discovery, redirectUrl }: BeginOptions): Promise<void> {
  const { settings, server } = context;
  const metadata = discovery.authorizationServerMetadata as
    | (AuthorizationServerMetadata & {
        registration_endpoint?: string;
        client_id_metadata_document_supported?: boolean;
      })
    | undefined;
  if (!metadata || metadata.registration_endpoint || settings.clientId !== undefined) return;
  if (settings.clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported) return;
  if (await knownClient(context, redirectUrl)) return;
  throw oauthFailed(
    server,
    'its authorization server does not register clients automatically; register Toolwharf there and set clientId',
  );
}

function refusalIn(
  params: URLSearchParams,
  iss: string | undefined,
  metadata: AuthorizationServerMetadata | undefined,
): string {
  // Until the issuer is verified, the error may come from anyone.
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const error = params.get('error');
  if (error === null) return 'the redirect has neither a code nor an error. Start again';
  const detail = params.get('error_description');
  const advice = adviceFor[error];
  return `its authorization server answered ${printable(error)}${detail ? ` (${printable(detail)})` : ''}${advice ? `. ${advice}` : ''}`;
}

/** Stores tokens with what they are bound to. */
export async function saveTokens(
  context: OAuthContext,
  tokens: OAuthTokens,
  requested: Pick<OAuthTokensRecord, 'issuer' | 'resource' | 'scope'>,
): Promise<OAuthTokensRecord> {
  const { server, serverKey, store, clock } = context;
  if (tokens.token_type.toLowerCase() !== 'bearer') {
    throw oauthFailed(server, 'its authorization server issued a token that is not a bearer token');
  }
  // The error for an invalid header value would quote the token.
  if (!/^[\x21-\x7e]+$/.test(tokens.access_token)) {
    throw oauthFailed(server, 'its authorization server issued a token that cannot be sent in a header');
  }
  const lifetimeMs = tokens.expires_in === undefined ? undefined : tokens.expires_in * 1000;
  const record: OAuthTokensRecord = {
    ...tokens,
    issuer: requested.issuer,
    resource: requested.resource,
    // A server need not repeat the scope if it grants what was requested.
    scope: tokens.scope ?? requested.scope,
    lifetimeMs,
    expiresAt: lifetimeMs === undefined ? undefined : clock.now() + lifetimeMs,
  };
  await store.set(serverKey, 'tokens', record);
  return record;
}

function isUnknownClient(cause: unknown): boolean {
  return (
    cause instanceof OAuthError &&
    (cause.code === OAuthErrorCode.InvalidClient || cause.code === OAuthErrorCode.UnauthorizedClient)
  );
}
