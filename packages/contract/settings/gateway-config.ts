import type { AppsConfig } from './app-sources.ts';
import type { AuditDestination } from './audit-export-schema.ts';
import type { NewServerMode, SandboxMode } from './choices.ts';
import type { NotificationConfig } from './notifications-schema.ts';
import type { OidcConfig } from './oidc-config.ts';

/** The address, limits and stores of the gateway. */
export interface GatewayConfig {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Additional host names that requests may use. */
  readonly allowedHosts: readonly string[];
  /** Additional origins of web pages that may send requests. */
  readonly allowedOrigins: readonly string[];
  /** Every request needs a key, a token or a session; always so if the address is not loopback. */
  readonly requireAuthentication: boolean;
  /** Administrators may add stdio servers over the API. Undefined allows this on loopback only. */
  readonly allowPrograms?: boolean;
  /** `review`: servers added by people who may not add programs wait until somebody who may has accepted them. */
  readonly newServers: NewServerMode;
  /** Servers and model providers added over the API may use private addresses. Undefined allows this on loopback only. */
  readonly allowPrivateAddresses?: boolean;
  /** URL of the registry of MCP servers. */
  readonly registry: string;
  /** Whether anyone may read the list of servers in the format of a registry. */
  readonly publishServers: boolean;
  /** The public origin of the gateway, such as `https://tools.example.com`. */
  readonly url?: string;
  /** The certificate with which the gateway serves https itself. */
  readonly tls?: TlsConfig;
  readonly oidc?: OidcConfig;
  readonly jwt?: JwtConfig;
  readonly retention: RetentionConfig;
  /** The key that signs administrative acts and checkpoints of the journal, and a second place for checkpoints. */
  readonly audit?: AuditConfig;
  /** Where the journal is exported to. */
  readonly auditExport?: readonly AuditDestination[];
  /** How long a list request waits for servers that are still starting. */
  readonly listWaitMs: number;
  /** How long a client has to answer a question of a server. */
  readonly questionTimeoutMs: number;
  /** How long running calls may continue after shutdown starts. */
  readonly shutdownMs: number;
  /** How long a replica on PostgreSQL may be silent before the others count it as lost. */
  readonly leaseMs: number;
  /** CIDR ranges of reverse proxies whose forwarding headers name the client's address. */
  readonly trustedProxies: readonly string[];
  readonly limits: GatewayLimits;
  /** The package whose vectors rank tools by their meaning. Undefined uses keywords alone. */
  readonly embeddings?: string;
  /** The sandbox of programs of servers that have no setting of their own. */
  readonly sandbox: { readonly default: SandboxMode };
  readonly apps: AppsConfig;
  /** Receives a message for each new approval request. */
  readonly webhook?: WebhookConfig;
  /** Where people learn of approvals. */
  readonly notifications?: readonly NotificationConfig[];
  /** OTLP over HTTP endpoint for traces. Undefined sends no traces. */
  readonly tracesUrl?: string;
  /** Whether traces have the arguments and results of calls. */
  readonly tracesContent?: boolean;
  /** A PostgreSQL URL, or a `${VAR}` or `${file:…}` reference to one. Undefined uses SQLite in the data directory. */
  readonly database?: string;
}

/** Absolute paths of PEM files. */
export interface TlsConfig {
  /** The certificate, followed by those that have signed it. */
  readonly cert: string;
  readonly key: string;
  /** The authorities whose certificates clients must have. Undefined asks for none. */
  readonly clientCa?: string;
}

/** The file of the audit key, and a second file for signed checkpoints. */
export interface AuditConfig {
  /** PEM file of the Ed25519 key; `audit.key` in the data directory if undefined. */
  readonly key?: string;
  /** A file that gets every checkpoint, besides the one in the data directory. */
  readonly checkpoints?: string;
}

/** Limits on what callers can consume: `…PerCaller` for each caller, the others for all callers together. */
export interface GatewayLimits {
  /** The size of a request body. */
  readonly maxBodyBytes: number;
  /** The nesting of arrays and objects in a request body. */
  readonly maxBodyDepth: number;
  /** The members of all objects in a request body; its arrays may have ten times as many elements. */
  readonly maxBodyMembers: number;
  /** The memory of all requests in progress. Undefined means an eighth of the heap, at most 256 MiB. */
  readonly maxRequestBytes?: number;
  /** Undefined means a quarter of the limit for all callers. */
  readonly maxRequestBytesPerCaller?: number;
  readonly maxSessions: number;
  readonly maxSessionsPerCaller: number;
  readonly maxStreams: number;
  readonly maxStreamsPerCaller: number;
  /** Resources that clients are subscribed to. */
  readonly maxSubscriptions: number;
  readonly maxSubscriptionsPerCaller: number;
  /** Reads of resources and prompts, searches for tools, and completions, in progress. */
  readonly maxReads: number;
  readonly maxReadsPerCaller: number;
  readonly maxConversationsPerCaller: number;
  /** Answers of assistants that one caller can have running. */
  readonly maxRunningAnswersPerCaller: number;
  readonly maxPendingApprovals: number;
  readonly maxPendingApprovalsPerCaller: number;
  readonly maxRunningCallsPerCaller: number;
  readonly maxQueuedCallsPerCaller: number;
  /** The unread bytes of responses. Undefined means an eighth of the heap, at most 256 MiB; a quarter of it for one caller. */
  readonly maxUnsentBytes?: number;
  readonly maxUnsentBytesPerCaller?: number;
  /** The memory of results, from the first byte that a server sends until the client has received them. */
  readonly maxResultMemoryBytes?: number;
  readonly maxResultMemoryBytesPerCaller?: number;
  /** The time in which a client must have received a large result. */
  readonly slowClientTimeoutMs: number;
  /** The stored results that were too large to return whole. */
  readonly maxStoredResultBytes: number;
  readonly maxStoredResultBytesPerCaller: number;
  /** Processes that run scripts; further scripts wait. */
  readonly maxScripts: number;
  /** Scripts of one caller that have not ended, those that wait included. */
  readonly maxScriptsPerCaller: number;
}

/** Accepts tokens of an identity provider instead of a key. */
export interface JwtConfig {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** The claim that contains the profile name. Undefined gives all callers the default profile. */
  readonly profileClaim?: string;
  /** The claim and the value that identify an administrator. */
  readonly adminClaim?: string;
  readonly adminValue?: string;
}

export interface RetentionConfig {
  readonly maxAgeMs: number;
  readonly maxCalls: number;
}

export interface WebhookConfig {
  readonly url: string;
  /** Secret for the HMAC-SHA256 signature of each message. May be a `${VAR}` reference. */
  readonly secret?: string;
}
