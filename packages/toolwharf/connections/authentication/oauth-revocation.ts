import { type AddClientAuthentication, assertSecureTokenEndpoint, type FetchLike } from '@modelcontextprotocol/client';
import type { Log } from '../../kernel/log.ts';
import { authenticateClient } from './client-authentication.ts';
import { isSameIssuer } from './oauth-context.ts';
import { issuerOf } from './oauth-discovery.ts';
import { describeRefusal } from './oauth-errors.ts';
import { assertSecureEndpoint, createOAuthFetch, type OAuthFetchOptions } from './oauth-fetch.ts';
import type { DeletedSignIn } from './oauth-store.ts';

/** Revokes deleted sign-ins at the authorization server (RFC 7009), beside all other work. */
export interface Revocations {
  /** Starts a revocation. Its outcome is logged. */
  start(deleted: DeletedSignIn): void;
  /** Resolves when all revocations have ended; undefined if none is running. */
  running(): Promise<void> | undefined;
}

export interface RevocationsOptions extends Pick<OAuthFetchOptions, 'server' | 'serverUrl' | 'security'> {
  readonly fetch: FetchLike;
  readonly log: Log;
  /** Signs requests of a client that has a private key instead of a secret. */
  readonly sign?: () => AddClientAuthentication;
  /** Limit for one revocation; default 10 000. */
  readonly timeoutMs?: number;
}

export function createRevocations(options: RevocationsOptions): Revocations {
  const { server, log, timeoutMs = 10_000 } = options;
  const fetch = createOAuthFetch({ ...options, timeoutMs });
  const running = new Set<Promise<void>>();

  async function revoke(deleted: DeletedSignIn): Promise<void> {
    const prefix = `The sign-in to server '${server}' was deleted`;
    const endpoint = findEndpoint(deleted);
    if (endpoint === undefined) {
      const text = `${prefix}. Its authorization server does not offer to revoke it: the tokens expire there by themselves`;
      return log.info('oauth.not-revocable', text, { server });
    }
    const problem = await revokeAt(endpoint, deleted).catch(() => 'it did not answer');
    if (problem === undefined)
      return log.info('oauth.revoked', `${prefix}, and revoked at its authorization server`, { server });
    const text = `${prefix}, but not revoked at its authorization server: ${problem}. Revoke the access of Toolwharf there`;
    log.warning('oauth.not-revoked', text, { server });
  }

  /** Returns the problem if the tokens were not revoked. */
  async function revokeAt(endpoint: string, { tokens, client, discovery }: DeletedSignIn): Promise<string | undefined> {
    if (!client || !isSameIssuer(client.issuer, tokens.issuer)) return 'Toolwharf is no longer registered there';
    try {
      assertSecureEndpoint(assertSecureTokenEndpoint(endpoint), options);
    } catch {
      return 'the address that it publishes for revocations is not secure';
    }
    const signal = AbortSignal.timeout(timeoutMs);
    const send = async (token: string, kind: 'refresh_token' | 'access_token') => {
      const headers = new Headers({ accept: 'application/json' });
      const params = new URLSearchParams({ token, token_type_hint: kind });
      const metadata = discovery?.authorizationServerMetadata;
      if (options.sign) {
        params.set('client_id', client.client_id);
        await options.sign()(headers, params, endpoint, metadata);
      } else {
        const { revocation_endpoint_auth_methods_supported: methods } = (metadata ?? {}) as RevocationMetadata;
        authenticateClient(client, methods ?? metadata?.token_endpoint_auth_methods_supported ?? [], headers, params);
      }
      const response = await fetch(endpoint, { method: 'POST', headers, body: params, signal });
      return response.ok ? undefined : describeRefusal(response);
    };
    // A server that revokes a refresh token also ends the access tokens of the same grant.
    const refused = tokens.refresh_token ? await send(tokens.refresh_token, 'refresh_token') : 'unsupported_token_type';
    const refusal = refused === 'unsupported_token_type' ? await send(tokens.access_token, 'access_token') : refused;
    return refusal && `it answered ${refusal}`;
  }

  return {
    start(deleted) {
      const work = revoke(deleted).finally(() => running.delete(work));
      running.add(work);
    },
    running: () => (running.size === 0 ? undefined : Promise.all(running).then(() => {})),
  };
}

/** The members of the metadata that the type of the SDK has for some servers only. */
interface RevocationMetadata {
  readonly revocation_endpoint?: string;
  readonly revocation_endpoint_auth_methods_supported?: string[];
}

/** The revocation endpoint of the authorization server that issued the tokens. */
function findEndpoint({ tokens, discovery }: DeletedSignIn): string | undefined {
  if (!discovery || !isSameIssuer(issuerOf(discovery), tokens.issuer)) return undefined;
  const { revocation_endpoint: endpoint } = (discovery.authorizationServerMetadata ?? {}) as RevocationMetadata;
  return typeof endpoint === 'string' ? endpoint : undefined;
}
