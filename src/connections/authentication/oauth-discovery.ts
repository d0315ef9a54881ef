import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type OAuthDiscoveryState,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { OAuthChallenge, OAuthContext } from './oauth-context.ts';

/**
 * Asks the server which authorization server it trusts, and that one what it offers. Always fresh, because a server may
 * move to another; what it said before is used only where it says nothing now.
 */
export async function discoverOAuth(context: OAuthContext, challenge: OAuthChallenge): Promise<OAuthDiscoveryState> {
  const { serverUrl, serverKey, store, fetch: fetchFn } = context;
  const { resourceMetadataUrl } = challenge;
  const resourceMetadata = await readResourceMetadata(context, resourceMetadataUrl);
  const before = await store.get(serverKey, 'discovery');
  if (!resourceMetadata && before?.resourceMetadata) return before;

  // A server without such metadata is its own authorization server, as the first revision of the protocol had it.
  const authorizationServerUrl = resourceMetadata?.authorization_servers?.[0] ?? String(new URL('/', serverUrl));
  const authorizationServerMetadata = await discoverAuthorizationServerMetadata(authorizationServerUrl, { fetchFn });
  return {
    authorizationServerUrl,
    ...(authorizationServerMetadata && { authorizationServerMetadata }),
    ...(resourceMetadata && { resourceMetadata }),
    ...(resourceMetadataUrl && { resourceMetadataUrl: resourceMetadataUrl.href }),
  };
}

/** The name of the authorization server: tokens and clients are bound to it. */
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
    // A server that names the document has one: then, and when the network failed, there is nothing to fall back to.
    if (resourceMetadataUrl || cause instanceof TypeError || cause instanceof ToolwharfError) throw cause;
    return undefined;
  }
}
