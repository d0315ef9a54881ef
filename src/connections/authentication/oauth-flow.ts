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
import { isSameIssuer, type OAuthContext, withConfiguredSecret } from './oauth-context.ts';
import { issuerOf } from './oauth-discovery.ts';
import { isFinalRefusal, oauthFailed, printable } from './oauth-errors.ts';
import { assertSecureEndpoint } from './oauth-fetch.ts';
import { createSignInProvider, knownClient } from './oauth-provider.ts';
import type { OAuthPending, OAuthTokensRecord } from './oauth-store.ts';

export interface BeginOptions {
  readonly redirectUrl: string;
  readonly discovery: OAuthDiscoveryState;
  readonly scope?: string;
}

/** Begins a sign-in: registers us where needed, and gives the address for the browser. Nothing secret has been sent yet. */
export async function beginSignIn(context: OAuthContext, options: BeginOptions): Promise<OAuthPending> {
  const { server, serverUrl, serverKey, store, settings, fetch: fetchFn } = context;
  const { redirectUrl, discovery, scope } = options;
  const provider = createSignInProvider(context, options);
  await assertCanIdentify(context, options);
  // Refreshing is done elsewhere: the SDK would print what it was refused with, and ask a person when a server is merely down.
  await auth(provider, { serverUrl, fetchFn, forceReauthorization: true, ...(scope !== undefined && { scope }) });

  const { state, codeVerifier, authorizationUrl } = provider.begun;
  const issuer = issuerOf(discovery);
  const client = await provider.clientInformation({ issuer });
  if (!authorizationUrl || !codeVerifier || !client)
    throw oauthFailed(server, 'no address to sign in at could be built');
  assertSecureEndpoint(authorizationUrl, context);
  const { client_secret: secret, ...identity } = client;
  const configured = client.client_id === settings.clientId;
  const asked = authorizationUrl.searchParams;
  const pending: OAuthPending = {
    state,
    codeVerifier,
    redirectUrl,
    discovery,
    authorizationUrl: authorizationUrl.href,
    startedAt: context.clock.now(),
    client: { ...identity, issuer, ...(secret !== undefined && !configured && { client_secret: secret }) },
    ...optional('scope', asked.get('scope')),
    ...optional('resource', asked.get('resource')),
  };
  await store.set(serverKey, 'pending', pending);
  return pending;
}

/** Ends a sign-in with what the browser brought back. State and issuer are checked before anything is believed or sent. */
export async function finishSignIn(
  context: OAuthContext,
  pending: OAuthPending,
  params: URLSearchParams,
): Promise<OAuthTokensRecord> {
  const { server, serverKey, store, settings, fetch: fetchFn } = context;
  const { discovery, client, redirectUrl, codeVerifier, resource, scope } = pending;
  if (params.get('state') !== pending.state) {
    throw oauthFailed(server, 'the browser came back from another sign-in than the one that was started. Start again');
  }
  // A code is good once; whatever happens now, this sign-in is over.
  await store.delete(serverKey, 'pending');
  const metadata = discovery.authorizationServerMetadata;
  const iss = params.get('iss') ?? undefined;
  const code = params.get('code');
  if (!code) throw oauthFailed(server, refusalIn(params, iss, metadata));
  try {
    const tokens = await exchangeAuthorization(discovery.authorizationServerUrl, {
      clientInformation: withConfiguredSecret(client, settings),
      authorizationCode: code,
      codeVerifier,
      redirectUri: redirectUrl,
      fetchFn,
      ...(metadata && { metadata }),
      ...(iss !== undefined && { iss }),
      ...(resource !== undefined && { resource }),
    });
    await store.set(serverKey, 'client', client);
    await store.set(serverKey, 'discovery', discovery);
    return await save(context, tokens, {
      issuer: client.issuer,
      ...optional('resource', resource),
      ...optional('scope', scope),
    });
  } catch (cause) {
    if (isUnknownClient(cause)) await store.delete(serverKey, 'client');
    throw cause;
  }
}

/** New tokens for old. Undefined where the old ones are no longer good for that; they are forgotten then. */
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
      refreshToken: tokens.refresh_token,
      fetchFn,
      ...(discovery.authorizationServerMetadata && { metadata: discovery.authorizationServerMetadata }),
      ...(tokens.resource !== undefined && { resource: tokens.resource }),
    });
    await store.set(serverKey, 'discovery', discovery);
    return await save(context, fresh, tokens);
  } catch (cause) {
    if (!isFinalRefusal(cause)) throw cause;
    const stored = await store.get(serverKey, 'tokens');
    // Another process may have used the token first: then its tokens are the good ones.
    if (stored && stored.refresh_token !== tokens.refresh_token) return stored;
    await store.delete(serverKey, 'tokens');
    if (isUnknownClient(cause)) await store.delete(serverKey, 'client');
    return undefined;
  }
}

/** Says early, and with advice, that we have no way to tell the authorization server who we are. */
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
    'its authorization server registers no clients by itself; register Toolwharf there and set clientId',
  );
}

function refusalIn(
  params: URLSearchParams,
  iss: string | undefined,
  metadata: AuthorizationServerMetadata | undefined,
): string {
  // Before the issuer is known to be right, the rest may be anyone's words.
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const error = params.get('error');
  if (error === null) return 'the browser came back with neither a code nor an error. Start again';
  const detail = params.get('error_description');
  return `its authorization server said ${printable(error)}${detail ? ` (${printable(detail)})` : ''}`;
}

async function save(
  context: OAuthContext,
  tokens: OAuthTokens,
  asked: Pick<OAuthTokensRecord, 'issuer' | 'resource' | 'scope'>,
): Promise<OAuthTokensRecord> {
  const { server, serverKey, store, clock } = context;
  if (tokens.token_type.toLowerCase() !== 'bearer') {
    throw oauthFailed(server, 'its authorization server gave a token of another type than bearer');
  }
  // What can't stand in a header would be quoted in the error that says so.
  if (!/^[\x21-\x7e]+$/.test(tokens.access_token)) {
    throw oauthFailed(server, 'its authorization server gave a token that can not be sent in a header');
  }
  const lifetimeMs = tokens.expires_in === undefined ? undefined : tokens.expires_in * 1000;
  const record: OAuthTokensRecord = {
    ...tokens,
    issuer: asked.issuer,
    ...optional('resource', asked.resource),
    // A server that grants what was asked need not repeat it.
    ...optional('scope', tokens.scope ?? asked.scope),
    ...(lifetimeMs !== undefined && { lifetimeMs, expiresAt: clock.now() + lifetimeMs }),
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

function optional<Key extends string, Value>(key: Key, value: Value | null | undefined): { [K in Key]?: Value } {
  return (value === null || value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}
