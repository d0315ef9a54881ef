import type { FetchLike } from '@modelcontextprotocol/client';
import type { UrlSecurity } from '../../../contract/settings/server-url.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { DeletedSignIn, OAuthClientRecord, OAuthStore } from './oauth-store.ts';
import type { OAuthTrace } from './oauth-trace.ts';

/** The state that all steps of a sign-in to one server share. */
export interface OAuthContext {
  readonly server: string;
  readonly serverUrl: URL;
  readonly serverKey: string;
  readonly security: UrlSecurity;
  readonly store: OAuthStore;
  /** For requests to the authorization server only. */
  readonly fetch: FetchLike;
  readonly clock: Clock;
  readonly settings: OAuthSettings;
  /** Records each step. */
  readonly trace: OAuthTrace;
  /** Starts to revoke a sign-in at the authorization server. */
  readonly revoke: (deleted: DeletedSignIn) => void;
}

/** The configured OAuth client, with references resolved. */
export interface OAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
  readonly clientMetadataUrl?: string;
  /** The only authorization server that may receive the client's credentials. */
  readonly issuer?: string;
}

/** The requirements in a `WWW-Authenticate` header. */
export interface OAuthChallenge {
  readonly scope?: string;
  readonly resourceMetadataUrl?: URL;
}

/** True if two issuers are the same apart from a trailing slash. */
export function isSameIssuer(a: string, b: string): boolean {
  return a.replace(/\/$/, '') === b.replace(/\/$/, '');
}

/** Client information for the SDK. The configured secret is added here, so that it is never stored. */
export function withConfiguredSecret(client: OAuthClientRecord, settings: OAuthSettings): OAuthClientRecord {
  const configured = settings.clientId === client.client_id && settings.clientSecret !== undefined;
  return configured ? { ...client, client_secret: settings.clientSecret } : client;
}
