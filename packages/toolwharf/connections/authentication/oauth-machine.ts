import { createPrivateKey, type KeyObject } from 'node:crypto';
import {
  type AddClientAuthentication,
  createPrivateKeyJwtAuth,
  discoverAuthorizationServerMetadata,
  type FetchLike,
  fetchToken,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  requestJwtAuthorizationGrant,
  selectResourceURL,
} from '@modelcontextprotocol/client';
import type { OAuthAuthentication } from '../../../contract/settings/oauth-config.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { isSameIssuer, type OAuthContext } from './oauth-context.ts';
import { issuerOf } from './oauth-discovery.ts';
import { describeRefusal, oauthFailed, printable } from './oauth-errors.ts';
import { saveTokens } from './oauth-flow.ts';
import type { OAuthTokensRecord } from './oauth-store.ts';
import type { SignInPrompt, SignInRequest } from './sign-in-prompt.ts';

export interface MachineSignInOptions {
  /** Resolves references such as `${file:/path}`; called for each token, because files change. */
  readonly resolve: (value: string) => string;
  readonly redactor: Redactor;
}

/** Signs in as a program: with client credentials, a token of the workload, or a grant of an identity provider. */
export function createMachineSignIn(
  context: OAuthContext,
  spec: OAuthAuthentication,
  options: MachineSignInOptions,
): SignInPrompt {
  const { server, serverUrl, serverKey, store, settings, clock, fetch: fetchFn } = context;
  const { clientId = '' } = settings;

  const secret = (key: SecretKey) => readSecret(key, server, spec, options);

  async function requestToken({ discovery, scope: wanted }: SignInRequest): Promise<OAuthTokensRecord> {
    const issuer = issuerOf(discovery);
    await assertKnownIssuer(context, clientId, issuer);
    const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery;
    const scope = wanted ?? resourceMetadata?.scopes_supported?.join(' ');
    const provider: OAuthClientProvider = {
      redirectUrl: undefined,
      clientMetadata: { redirect_uris: [], client_name: 'Toolwharf' },
      clientInformation: () => ({ client_id: clientId, client_secret: settings.clientSecret, issuer }),
      prepareTokenRequest: async () => {
        const params = await prepareRequest(discovery, scope);
        if (scope) params.set('scope', scope);
        return params;
      },
      addClientAuthentication: spec.privateKey === undefined ? undefined : createClientSigner(context, spec, options),
      tokens: () => undefined,
      saveTokens: () => {},
      redirectToAuthorization: () => {},
      saveCodeVerifier: () => {},
      codeVerifier: () => '',
    };
    const resource = await selectResourceURL(serverUrl, provider, resourceMetadata);
    const { refresh_token: _unused, ...tokens } = await fetchToken(provider, authorizationServerUrl, {
      metadata,
      resource,
      scope,
      fetchFn,
    });
    await store.set(serverKey, 'client', { client_id: clientId, issuer });
    await store.set(serverKey, 'discovery', discovery);
    return saveTokens(context, tokens, { issuer, resource: resource?.href, scope });
  }

  async function prepareRequest(discovery: OAuthDiscoveryState, scope: string | undefined): Promise<URLSearchParams> {
    switch (spec.grant) {
      case 'jwt-bearer':
        return new URLSearchParams({ grant_type: jwtBearer, assertion: secret('assertion') });
      case 'enterprise': {
        const resource = discovery.resourceMetadata?.resource ?? serverUrl.href;
        const assertion = await requestGrant(issuerOf(discovery), resource, scope);
        return new URLSearchParams({ grant_type: jwtBearer, assertion });
      }
      default:
        return new URLSearchParams({ grant_type: 'client_credentials' });
    }
  }

  /** Exchanges the ID token for a grant that is valid at the server's authorization server only. */
  async function requestGrant(audience: string, resource: string, scope: string | undefined): Promise<string> {
    const { identityProvider = '', identityProviderClientId = '', identityProviderClientSecret } = spec;
    let refusal: string | undefined;
    const observe: FetchLike = async (input, init) => {
      const response = await fetchFn(input, init);
      refusal = response.ok ? undefined : await describeRefusal(response);
      return response;
    };
    try {
      const tokenEndpoint =
        spec.identityProviderTokenUrl ??
        (await discoverAuthorizationServerMetadata(identityProvider, { fetchFn }))?.token_endpoint;
      if (tokenEndpoint === undefined)
        throw oauthFailed(
          server,
          `'${identityProvider}' does not publish its token endpoint. Set identityProviderTokenUrl`,
        );
      const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
        tokenEndpoint,
        audience,
        resource,
        scope,
        idToken: secret('idToken'),
        clientId: options.resolve(identityProviderClientId),
        clientSecret: identityProviderClientSecret === undefined ? undefined : secret('identityProviderClientSecret'),
        fetchFn: observe,
      });
      options.redactor.add(jwtAuthGrant);
      return jwtAuthGrant;
    } catch (cause) {
      // The SDK's error quotes the description, which may repeat the request.
      if (refusal === undefined) throw cause;
      throw oauthFailed(server, `the identity provider answered ${refusal}. Check idToken and the client there`);
    }
  }

  /** Another replica may have got a token meanwhile. */
  async function useStoredOrRequest(request: SignInRequest): Promise<OAuthTokensRecord> {
    const stored = await store.get(serverKey, 'tokens');
    const isNewer = stored !== undefined && stored.access_token !== request.replaces;
    const isValid = isNewer && (stored.expiresAt === undefined || stored.expiresAt > clock.now());
    return isValid ? stored : requestToken(request);
  }

  return (request) =>
    store.withLock ? store.withLock(serverKey, () => useStoredOrRequest(request)) : useStoredOrRequest(request);
}

/** Signs requests with the private key of the client. */
export function createClientSigner(
  { server, settings: { clientId = '' } }: Pick<OAuthContext, 'server' | 'settings'>,
  spec: OAuthAuthentication,
  options: MachineSignInOptions,
): AddClientAuthentication {
  const pem = readSecret('privateKey', server, spec, options);
  try {
    const key = createPrivateKey(pem);
    const privateKey = key.export({ format: 'jwk' }) as Record<string, unknown>;
    return createPrivateKeyJwtAuth({
      issuer: clientId,
      subject: clientId,
      privateKey,
      alg: spec.algorithm ?? algorithmOf(key),
    });
  } catch {
    throw oauthFailed(server, 'privateKey is not a private key in PEM. Set it in the settings of the server');
  }
}

type SecretKey = 'privateKey' | 'assertion' | 'idToken' | 'identityProviderClientSecret';

function readSecret(key: SecretKey, server: string, spec: OAuthAuthentication, options: MachineSignInOptions): string {
  const value = options.resolve(spec[key] ?? '').trim();
  if (value === '') throw oauthFailed(server, `its ${key} is empty. Set it in the settings of the server`);
  options.redactor.add(value);
  return value;
}

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The server names its authorization server, so a changed one must not get the credentials. */
async function assertKnownIssuer(
  { server, serverKey, store, settings }: OAuthContext,
  clientId: string,
  issuer: string,
): Promise<void> {
  if (settings.issuer !== undefined) {
    if (isSameIssuer(settings.issuer, issuer)) return;
    throw oauthFailed(server, `it uses the authorization server '${printable(issuer)}', and issuer names another one`);
  }
  const before = await store.get(serverKey, 'client');
  if (before === undefined || before.client_id !== clientId || isSameIssuer(before.issuer, issuer)) return;
  throw oauthFailed(
    server,
    `it now uses the authorization server '${printable(issuer)}' instead of '${printable(before.issuer)}'. If that is right, sign out, or set issuer`,
  );
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  if (type === 'rsa') return 'RS256';
  if (type === 'rsa-pss') return 'PS256';
  if (type === 'ed25519') return 'EdDSA';
  const byCurve: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };
  const algorithm = byCurve[details?.namedCurve ?? ''];
  if (algorithm === undefined) throw new Error('unknown type of key');
  return algorithm;
}
