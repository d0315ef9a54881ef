import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayConfig } from '../../../contract/settings/gateway-config.ts';
import { type ResourceChallenges, toChallenge } from '../../core/auth/sign-in.ts';
import { sendJson } from '../../core/mcp/responder.ts';
import type { PublicUrl } from './public-url.ts';

/** The gateway as a protected resource of OAuth (RFC 9728): how clients find out where to get a token. */
export interface ProtectedResource extends ResourceChallenges {
  /** Serves the metadata; false for other requests. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): boolean;
}

export interface ProtectedResourceOptions {
  readonly settings: () => Pick<GatewayConfig, 'oidc' | 'jwt'>;
  readonly publicUrl: PublicUrl;
}

const metadataPath = '/.well-known/oauth-protected-resource';

export function createProtectedResource({ settings, publicUrl }: ProtectedResourceOptions): ProtectedResource {
  /** The issuers whose tokens are accepted, if they can be found by their URL. */
  function issuers(): string[] {
    const { oidc, jwt } = settings();
    return [...new Set([oidc?.issuer, jwt?.issuer])].filter(
      (issuer) => issuer !== undefined && URL.canParse(issuer),
    ) as string[];
  }

  /** The metadata URL of the endpoint that a request is for; undefined if it takes no tokens. */
  function metadataUrl(request: IncomingMessage): string | undefined {
    const base = publicUrl(request);
    if (base === undefined || issuers().length === 0) return undefined;
    const endpoint = /^\/mcp(?:\/[\w%.~-]+)?(?=[/?#]|$)/.exec(request.url ?? '')?.[0] ?? '';
    return `${base}${metadataPath}${endpoint}`;
  }

  function parameters(request: IncomingMessage, error: string | undefined): string {
    const url = metadataUrl(request);
    const scope = settings().oidc?.tokenScopes.call;
    return toChallenge(error, [
      ...(url === undefined ? [] : [`resource_metadata="${url}"`]),
      ...(url === undefined || scope === undefined ? [] : [`scope="${scope}"`]),
    ]);
  }

  return {
    challenge: (request) =>
      parameters(request, request.headers.authorization === undefined ? undefined : 'invalid_token'),
    insufficientScope: (request) => parameters(request, 'insufficient_scope'),
    serve(request, response, path) {
      const resource = path.startsWith(metadataPath) ? path.slice(metadataPath.length) : undefined;
      const base = publicUrl(request);
      if (resource === undefined || !/^(?:\/|\/mcp(?:\/[^/]+)?)?$/.test(resource)) return false;
      if (request.method !== 'GET' || base === undefined || issuers().length === 0) return false;
      const { tokenScopes } = settings().oidc ?? {};
      const metadata = {
        resource: `${base}${resource}`,
        authorization_servers: issuers(),
        scopes_supported: tokenScopes && Object.values(tokenScopes),
        bearer_methods_supported: ['header'],
        resource_name: 'Toolwharf',
      };
      sendJson(response, 200, metadata, { 'cache-control': 'public, max-age=300' });
      return true;
    },
  };
}
