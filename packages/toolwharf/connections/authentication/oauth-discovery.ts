import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type OAuthDiscoveryState,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { OAuthChallenge, OAuthContext } from './oauth-context.ts';

/**
 * Reads the metadata of the server and of its authorization server. Always reads anew, because a server may switch to
 * another authorization server; stored metadata is used only if the server no longer publishes any.
 */
export async function discoverOAuth(context: OAuthContext, challenge: OAuthChallenge): Promise<OAuthDiscoveryState> {
  const { serverUrl, serverKey, store, fetch: fetchFn } = context;
  const { resourceMetadataUrl } = challenge;
  const resourceMetadata = await readResourceMetadata(context, resourceMetadataUrl);
  const before = await store.get(serverKey, 'discovery');
  if (!resourceMetadata && before?.resourceMetadata) return before;

  // In the first revision of the protocol, a server without metadata is its own authorization server.
  const authorizationServerUrl = resourceMetadata?.authorization_servers?.[0] ?? String(new URL('/', serverUrl));
  const authorizationServerMetadata = await discoverAuthorizationServerMetadata(authorizationServerUrl, { fetchFn });
  return {
    authorizationServerUrl,
    authorizationServerMetadata,
    resourceMetadata,
    resourceMetadataUrl: resourceMetadataUrl?.href,
  };
}

/** The issuer that tokens and clients are bound to. */
export function issuerOf(discovery: OAuthDiscoveryState): string {
  return discovery.authorizationServerMetadata?.issuer ?? discovery.authorizationServerUrl;
}

async function readResourceMetadata(
  context: OAuthContext,
  resourceMetadataUrl: URL | undefined,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  try {
    return await discoverOAuthProtectedResourceMetadata(
      context.serverUrl,
      resourceMetadataUrl && { resourceMetadataUrl },
      context.fetch,
    );
  } catch (cause) {
    // There is no fallback if the server named the document or the network failed.
    if (resourceMetadataUrl || cause instanceof TypeError || cause instanceof ToolwharfError) throw cause;
    return undefined;
  }
}
