import type { FetchLike } from '@modelcontextprotocol/client';
import type { Clock } from '../../kernel/clock.ts';
import type { OAuthClientRecord, OAuthStore } from './oauth-store.ts';

/** What the steps of a sign-in to one server share. */
export interface OAuthContext {
  readonly server: string;
  readonly serverUrl: URL;
  readonly serverKey: string;
  readonly allowInsecure: boolean;
  readonly store: OAuthStore;
  /** For the authorization server alone. */
  readonly fetch: FetchLike;
  readonly clock: Clock;
  readonly settings: OAuthSettings;
}

/** The configured part of our identity, references resolved. */
export interface OAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
  readonly clientMetadataUrl?: string;
}

/** What a server said it wants, in a `WWW-Authenticate` header. */
export interface OAuthChallenge {
  readonly scope?: string;
  readonly resourceMetadataUrl?: URL;
}

/** True for one authorization server written with and without a final slash. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

/** Client information as the SDK wants it. A configured secret is added here, so that it is never stored. */
export function withConfiguredSecret(client: OAuthClientRecord, settings: OAuthSettings): OAuthClientRecord {
  const configured = settings.clientId === client.client_id && settings.clientSecret !== undefined;
  return configured ? { ...client, client_secret: settings.clientSecret } : client;
}
