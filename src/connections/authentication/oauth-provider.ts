import { randomBytes } from 'node:crypto';
import type { OAuthClientMetadata, OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { version } from '../../kernel/version.ts';
import { type OAuthContext, withConfiguredSecret } from './oauth-context.ts';
import type { OAuthClientRecord } from './oauth-store.ts';

export interface SignInProviderOptions {
  readonly redirectUrl: string;
  readonly discovery: OAuthDiscoveryState;
}

/** The SDK's client provider while one sign-in begins. It records the values that the redirect is checked against. */
export interface SignInProvider extends OAuthClientProvider {
  /** `authorizationUrl` is set once the SDK has built it. */
  readonly begun: { readonly state: string; codeVerifier?: string; authorizationUrl?: URL };
}

export function createSignInProvider(context: OAuthContext, options: SignInProviderOptions): SignInProvider {
  const { serverKey, store, settings } = context;
  const { redirectUrl, discovery } = options;
  const begun: SignInProvider['begun'] = { state: randomBytes(32).toString('base64url') };

  const provider: SignInProvider = {
    begun,
    redirectUrl,
    clientMetadata: clientMetadataFor(context, options),
    clientMetadataUrl: settings.clientMetadataUrl,
    state: () => begun.state,
    discoveryState: () => discovery,
    clientInformation: async (about) => {
      const known = await knownClient(context, redirectUrl);
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
    provider.saveClientInformation = (client, about) => {
      const registered = client.client_id !== settings.clientMetadataUrl;
      const issuer = client.issuer ?? about?.issuer ?? '';
      return store.set(serverKey, 'client', {
        ...client,
        issuer,
        ...(registered && { redirect_uris: [redirectUrl] }),
      } as OAuthClientRecord);
    };
  }
  return provider;
}

/** Our stored registration at the authorization server, if it is valid for this redirect URL. */
export async function knownClient(context: OAuthContext, redirectUrl?: string): Promise<OAuthClientRecord | undefined> {
  const { store, serverKey, settings, clock } = context;
  const client = await store.get(serverKey, 'client');
  if (!client) return undefined;
  if (settings.clientId !== undefined) {
    return client.client_id === settings.clientId ? withConfiguredSecret(client, settings) : undefined;
  }
  // A client that is neither configured nor registered is a metadata document; only the configured one is valid.
  if (!client.redirect_uris) return client.client_id === settings.clientMetadataUrl ? client : undefined;
  if (redirectUrl !== undefined && !client.redirect_uris.includes(redirectUrl)) return undefined;
  const expires = 'client_secret_expires_at' in client ? client.client_secret_expires_at : undefined;
  return expires && expires * 1000 <= clock.now() ? undefined : client;
}

function clientMetadataFor(
  { settings }: OAuthContext,
  { redirectUrl, discovery }: SignInProviderOptions,
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
    scope: settings.scope,
  };
}
