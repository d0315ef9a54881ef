import type { OAuthClientInformationMixed, OAuthDiscoveryState, OAuthTokens } from '@modelcontextprotocol/client';

/** Tokens, with the issuer and resource they are bound to. */
export interface OAuthTokensRecord extends OAuthTokens {
  /** The authorization server that issued them; they are sent to no other. */
  readonly issuer: string;
  /** The resource they were requested for (RFC 8707). */
  readonly resource?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Their lifetime when they were issued. */
  readonly lifetimeMs?: number;
}

/** Our registration at an authorization server. */
export type OAuthClientRecord = OAuthClientInformationMixed & {
  readonly issuer: string;
  /** The registered redirect URLs; undefined for a client that was not registered dynamically. */
  readonly redirect_uris?: readonly string[];
  /** The registered scope; undefined if the authorization server did not say it. */
  readonly scope?: string;
};

/** A sign-in that has begun; the redirect of the browser is checked against it. */
export interface OAuthPending {
  readonly state: string;
  readonly codeVerifier: string;
  readonly authorizationUrl: string;
  readonly redirectUrl: string;
  readonly startedAt: number;
  /** The authorization server's metadata when it began. */
  readonly discovery: OAuthDiscoveryState;
  readonly client: OAuthClientRecord;
  readonly scope?: string;
  readonly resource?: string;
}

/** The records of a sign-in that was deleted here. */
export interface DeletedSignIn {
  readonly tokens: OAuthTokensRecord;
  readonly client: OAuthClientRecord | undefined;
  readonly discovery: OAuthDiscoveryState | undefined;
}

/** The stored records of one server: plain JSON, and secret. */
export interface OAuthRecords {
  readonly tokens: OAuthTokensRecord;
  readonly client: OAuthClientRecord;
  readonly pending: OAuthPending;
  readonly discovery: OAuthDiscoveryState;
}

/**
 * Stores sign-ins. After `set` resolves, `get` returns the record to every process that shares the store. A kind can have several
 * records, each with its own id.
 */
export interface OAuthStore {
  get<Kind extends keyof OAuthRecords>(
    serverKey: string,
    kind: Kind,
    id?: string,
  ): Promise<OAuthRecords[Kind] | undefined>;
  set<Kind extends keyof OAuthRecords>(
    serverKey: string,
    kind: Kind,
    record: OAuthRecords[Kind],
    id?: string,
  ): Promise<void>;
  /** Deletes one record of the server, or all. */
  delete(serverKey: string, kind?: keyof OAuthRecords, id?: string): Promise<void>;
  /** Deletes a record and returns it, to one process only. Without it, `get` and `delete` are used. */
  take?<Kind extends keyof OAuthRecords>(serverKey: string, kind: Kind): Promise<OAuthRecords[Kind] | undefined>;
  /** Runs work that only one of the processes that share the store may do at a time for a server; undefined if one process uses it. */
  withLock?<Value>(serverKey: string, work: () => Promise<Value>): Promise<Value>;
}

/** A store in memory. */
export function createMemoryOAuthStore(): OAuthStore {
  const servers = new Map<string, Map<string, unknown>>();
  return {
    async get(serverKey, kind, id) {
      const record = servers.get(serverKey)?.get(nameOf(kind, id));
      return record === undefined ? undefined : (structuredClone(record) as never);
    },
    async set(serverKey, kind, record, id) {
      const records = servers.get(serverKey) ?? new Map<string, unknown>();
      servers.set(serverKey, records.set(nameOf(kind, id), structuredClone(record)));
    },
    async delete(serverKey, kind, id) {
      if (kind === undefined) servers.delete(serverKey);
      else servers.get(serverKey)?.delete(nameOf(kind, id));
    },
    async take(serverKey, kind) {
      const record = servers.get(serverKey)?.get(kind);
      servers.get(serverKey)?.delete(kind);
      return record as never;
    },
  };
}

function nameOf(kind: string, id: string | undefined): string {
  return id === undefined ? kind : `${kind}/${id}`;
}

/** The key of a server's records. It includes the URL: a server at another URL does not get the tokens. */
export function oauthServerKey(serverName: string, serverUrl: string | URL): string {
  const url = new URL(serverUrl);
  url.hash = '';
  return `${serverName} ${url.href}`;
}
