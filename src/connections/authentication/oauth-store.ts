import type { OAuthClientInformationMixed, OAuthDiscoveryState, OAuthTokens } from '@modelcontextprotocol/client';

/** Tokens with what they are bound to. */
export interface OAuthTokensRecord extends OAuthTokens {
  /** The authorization server that gave them; they are shown to no other. */
  readonly issuer: string;
  /** The resource they were asked for (RFC 8707). */
  readonly resource?: string;
  /** Milliseconds since 1970, and how long they were good for when given. */
  readonly expiresAt?: number;
  readonly lifetimeMs?: number;
}

/** How an authorization server knows us. */
export type OAuthClientRecord = OAuthClientInformationMixed & {
  readonly issuer: string;
  /** Where it lets the browser come back to; undefined where we did not register ourselves. */
  readonly redirect_uris?: readonly string[];
};

/** A sign-in that was begun: what the way back through the browser is checked against. */
export interface OAuthPending {
  readonly state: string;
  readonly codeVerifier: string;
  readonly authorizationUrl: string;
  readonly redirectUrl: string;
  readonly startedAt: number;
  /** The authorization server it was begun with, as it was found then. */
  readonly discovery: OAuthDiscoveryState;
  readonly client: OAuthClientRecord;
  readonly scope?: string;
  readonly resource?: string;
}

/** What is kept for one server. All of it is plain JSON, and all of it is secret. */
export interface OAuthRecords {
  readonly tokens: OAuthTokensRecord;
  readonly client: OAuthClientRecord;
  readonly pending: OAuthPending;
  readonly discovery: OAuthDiscoveryState;
}

/** Where sign-ins are kept. What `set` resolved for, `get` gives back, also to others that share the store. */
export interface OAuthStore {
  get<Kind extends keyof OAuthRecords>(serverKey: string, kind: Kind): Promise<OAuthRecords[Kind] | undefined>;
  set<Kind extends keyof OAuthRecords>(serverKey: string, kind: Kind, record: OAuthRecords[Kind]): Promise<void>;
  /** One record of the server, or all. */
  delete(serverKey: string, kind?: keyof OAuthRecords): Promise<void>;
}

/** A store that ends with the process. */
export function createMemoryOAuthStore(): OAuthStore {
  const servers = new Map<string, Map<keyof OAuthRecords, unknown>>();
  return {
    async get(serverKey, kind) {
      const record = servers.get(serverKey)?.get(kind);
      return record === undefined ? undefined : (structuredClone(record) as never);
    },
    async set(serverKey, kind, record) {
      const records = servers.get(serverKey) ?? new Map<keyof OAuthRecords, unknown>();
      servers.set(serverKey, records.set(kind, structuredClone(record)));
    },
    async delete(serverKey, kind) {
      if (kind === undefined) servers.delete(serverKey);
      else servers.get(serverKey)?.delete(kind);
    },
  };
}

/** The key of a server's records. The address is part of it: a server that moves does not take its tokens along. */
export function oauthServerKey(serverName: string, serverUrl: string | URL): string {
  const url = new URL(serverUrl);
  url.hash = '';
  return `${serverName} ${url.href}`;
}
