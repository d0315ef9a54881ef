import { randomBytes } from 'node:crypto';
import {
  computeScopeUnion,
  isStrictScopeSuperset,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { version } from '../../kernel/version.ts';
import { type OAuthContext, withConfiguredSecret } from './oauth-context.ts';
import type { OAuthClientRecord } from './oauth-store.ts';

export interface SignInProviderOptions {
  readonly redirectUrl: string;
  readonly discovery: OAuthDiscoveryState;
  /** The scope that the sign-in requests. */
  readonly scope?: string;
}

/** The SDK's client provider while one sign-in begins. It records the values that the redirect is checked against. */
export interface SignInProvider extends OAuthClientProvider {
  /** `authorizationUrl` is set once the SDK has built it. */
  readonly begun: { readonly state: string; codeVerifier?: string; authorizationUrl?: URL };
}

export function createSignInProvider(context: OAuthContext, options: SignInProviderOptions): SignInProvider {
  const { serverKey, store, settings } = context;
  const { redirectUrl, discovery, scope } = options;
  const begun: SignInProvider['begun'] = { state: randomBytes(32).toString('base64url') };
  let registered: OAuthClientRecord | undefined;

  const provider: SignInProvider = {
    begun,
    redirectUrl,
    clientMetadata: clientMetadataFor(context, options),
    clientMetadataUrl: settings.clientMetadataUrl,
    state: () => begun.state,
    discoveryState: () => discovery,
    clientInformation: async (about) => {
      const known = registered ?? (await knownClient(context, redirectUrl, scope));
      if (known || settings.clientId === undefined) return known;
      return withConfiguredSecret({ client_id: settings.clientId, issuer: about?.issuer ?? '' }, settings);
    },
    saveCodeVerifier: (codeVerifier) => {
      begun.codeVerifier = codeVerifier;
    },
    codeVerifier: () => begun.codeVerifier ?? '',
    redirectToAuthorization: (url) => {
      begun.authorizationUrl = url;
    },
    // Tokens are stored when the sign-in is completed, not here.
    tokens: () => undefined,
    saveTokens: () => {},
  };
  if (settings.clientId === undefined) {
    provider.saveClientInformation = async (client, about) => {
      const isRegistered = client.client_id !== settings.clientMetadataUrl;
      const issuer = client.issuer ?? about?.issuer ?? '';
      const { scope: returned } = client as Partial<OAuthClientRecord>;
      registered = {
        ...client,
        issuer,
        // Some authorization servers do not return the scope that they registered.
        ...(isRegistered && { redirect_uris: [redirectUrl], scope: returned ?? scope ?? settings.scope ?? '' }),
      } as OAuthClientRecord;
      // The present tokens are refreshed with the client they were issued to, until the sign-in is complete.
      if (!(await store.get(serverKey, 'tokens'))) await store.set(serverKey, 'client', registered);
    };
  }
  return provider;
}

/** Our stored registration at the authorization server, if it is valid for this redirect URL and scope. */
export async function knownClient(
  context: OAuthContext,
  redirectUrl?: string,
  scope?: string,
): Promise<OAuthClientRecord | undefined> {
  const { store, serverKey, settings, clock } = context;
  const client = await store.get(serverKey, 'client');
  if (!client) return undefined;
  if (settings.clientId !== undefined) {
    return client.client_id === settings.clientId ? withConfiguredSecret(client, settings) : undefined;
  }
  // A client that is neither configured nor registered is a metadata document; only the configured one is valid.
  if (!client.redirect_uris) return client.client_id === settings.clientMetadataUrl ? client : undefined;
  if (redirectUrl !== undefined && !client.redirect_uris.includes(redirectUrl)) return undefined;
  // Some authorization servers refuse a scope that the client did not register.
  if (client.scope !== undefined && isStrictScopeSuperset(computeScopeUnion(client.scope, scope), client.scope))
    return undefined;
  const expires = 'client_secret_expires_at' in client ? client.client_secret_expires_at : undefined;
  return expires && expires * 1000 <= clock.now() ? undefined : client;
}

function clientMetadataFor(
  { settings }: OAuthContext,
  { redirectUrl, discovery, scope }: SignInProviderOptions,
): OAuthClientMetadata {
  const methods = discovery.authorizationServerMetadata?.token_endpoint_auth_methods_supported;
  // Servers register clients for basic authentication by default; name another method if they do not support it.
  const method = ['client_secret_basic', 'client_secret_post', 'none'].find((one) => methods?.includes(one));
  return {
    client_name: 'Toolwharf',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    software_id: 'toolwharf',
    software_version: version,
    token_endpoint_auth_method: method,
    scope: scope ?? settings.scope,
  };
}
