import type { JsonObject, JsonSchema } from '../kernel/json.ts';
import type { AppsConfig } from './app-sources.ts';
import type { Endpoint } from './endpoint-schema.ts';
import type { OAuthAuthentication } from './oauth-config.ts';
import type { OidcConfig } from './oidc-config.ts';
import type { PluginEntry, PluginTarget } from './plugin-config.ts';
import type { TransportName } from './transports.ts';

/** The configuration in memory, independent of the dialect. Defaults are applied and limits are checked. */
export interface Config {
  /** In file order. With `plain` naming, the last registered tool of a name wins. */
  readonly servers: readonly ServerSpec[];
  readonly toolbox: ToolboxConfig;
  /** Absolute paths of the modules that export local tools. */
  readonly localTools: readonly string[];
  /** Absolute paths of the folders with skills. */
  readonly skills: readonly string[];
  /** The plugins to load, in this order. */
  readonly plugins: readonly PluginEntry[];
  /** Named subsets of servers and tools that the gateway serves. The first profile is `default`. */
  readonly profiles: readonly ProfileConfig[];
  readonly gateway: GatewayConfig;
  /** The dialect of the file. */
  readonly dialect: Dialect;
}

/** The formats of configuration files. */
export const dialects = ['native', 'squidbot', 'myai', 'bridge', 'client'] as const;

/** The format of a configuration. */
export type Dialect = (typeof dialects)[number];

/** `strict` offers configured tools only. `dynamic` also offers other tools, with the default limits. */
export const toolModes = ['strict', 'dynamic'] as const;

/** Which tools of a server are offered. */
export type ToolMode = (typeof toolModes)[number];

/** How exposed tool names are built: `mcp_server_tool`, `server__tool`, or the tool name that the server uses. */
export const namings = ['mcp', 'server__tool', 'plain'] as const;

/** How the tools of a profile can be listed. */
export const exposures = ['all', 'search', 'code', 'auto'] as const;

/** `all` lists every tool, `search` three tools that find and call the others, `code` tools that run scripts over the others, `auto` `all` or `search` by the size of the list. */
export type Expose = (typeof exposures)[number];

/** How exposed tool names are built. */
export type Naming = (typeof namings)[number];

/** The action when the definition of a tool changes. */
export const onChangeActions = ['quarantine', 'ask', 'allow'] as const;

/** The action when the definition of a tool changes. */
export type OnChange = (typeof onChangeActions)[number];

/** Which calls require approval. */
export const approvalModes = ['auto', 'always-ask', 'trusted-only'] as const;

/** Which calls need approval, by name. */
export type ApprovalMode = (typeof approvalModes)[number];

/** Who answers approvals: administrators; also the owner of a conversation; also the user of the client that made the call. */
export const approverGroups = ['admins', 'owner', 'client'] as const;
export type ApproverGroup = (typeof approverGroups)[number];

/** Whether a read of a resource or prompt runs at once or needs approval. */
export const readModes = ['allow', 'ask'] as const;
export type ReadMode = (typeof readModes)[number];

/** `auto` detects the protocol era of the server. `legacy` and `modern` skip the detection. */
export const protocolChoices = ['auto', 'legacy', 'modern'] as const;

/** The protocol era to use, or `auto` to detect it. */
export type ProtocolChoice = (typeof protocolChoices)[number];

/** `shared`: all clients use one session with the server. `session`: each client session gets its own. */
export const isolations = ['shared', 'session'] as const;
export type Isolation = (typeof isolations)[number];

/** Whose credentials calls use: those of the configuration for all callers, or an account of the caller. */
export const credentialChoices = ['shared', 'per-user'] as const;

/** `strict` rejects invalid arguments, `coerce` first converts texts to the types of the schema, `off` checks nothing. */
export const argumentValidations = ['strict', 'coerce', 'off'] as const;
export type ArgumentValidation = (typeof argumentValidations)[number];

/**
 * A configured server. Secrets may be `${VAR}` or `${file:…}` references, which are resolved when the server connects.
 */
export interface ServerSpec {
  readonly name: string;
  readonly description?: string;
  readonly enabled: boolean;
  /** Startup fails if a required server is unreachable. */
  readonly required: boolean;
  readonly target: StdioTarget | HttpTarget | PluginTarget;
  readonly protocol: ProtocolChoice;
  readonly isolation: Isolation;
  /** `per-user`: each person connects accounts of their own, and calls use the account of the caller. */
  readonly credentials: (typeof credentialChoices)[number];
  /** With `per-user`: the number of accounts that are connected at a time. */
  readonly maxAccountConnections: number;
  /** `everywhere`: each replica starts the program. `single`: one replica does, and the others send their calls to it. */
  readonly placement: 'everywhere' | 'single';
  readonly validation: ArgumentValidation;
  /** Trusts the read-only and idempotent annotations of the server. */
  readonly trusted: boolean;
  /** Request timeout, connecting included: 1 000 to 300 000. */
  readonly timeoutMs: number;
  /** Time limit of a call that reports progress: each report restarts its timeout, up to this limit. */
  readonly maxTimeoutMs: number;
  /** Connection attempts after a failed one before the connection rests, 0 to 5. */
  readonly retryAttempts: number;
  readonly mode: ToolMode;
  /** Limits for tools that are not configured, in dynamic mode. */
  readonly defaultTool: ToolLimits;
  /** Globs over the tool names that the server uses. Only allowed tools are registered; denied tools never are. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly onChange: OnChange;
  readonly rate?: RateLimit;
  /** Names of the prompts to offer. Undefined offers all prompts. */
  readonly prompts?: readonly string[];
  /** The roots that the server gets. Undefined: those of the client that calls. */
  readonly roots?: readonly ServerRoot[];
}

/** A directory that a server may use, as `roots/list` returns it. */
export interface ServerRoot {
  readonly uri: string;
  readonly name: string;
}

/** A server that Toolwharf starts as a child process. */
export interface StdioTarget {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Passes Toolwharf's whole environment to the program, except Toolwharf's own variables. Default: false. */
  readonly inheritEnv?: boolean;
}

/** A server or HTTP API that has a URL. */
export interface HttpTarget {
  readonly transport: Exclude<TransportName, 'stdio'>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly authentication: Authentication;
  /** Allows plain http to an address that is not loopback. */
  readonly allowInsecure: boolean;
  /** The URL or the file path of the OpenAPI document. */
  readonly openapi?: string;
  /** Endpoints that are configured without an OpenAPI document. */
  readonly endpoints?: readonly Endpoint[];
}

/** How Toolwharf authenticates to a server over HTTP. */
export type Authentication =
  | { readonly type: 'none' }
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'api-key'; readonly key: string; readonly header: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | OAuthAuthentication;

/** The limits of one tool: concurrent calls and duration. */
export interface ToolLimits {
  readonly maxInstances: number;
  readonly timeoutMs: number;
}

/** Settings of one tool. Undefined values use the defaults of the server. */
export interface ToolConfig {
  /** The tool name that the server uses, or the name of a local tool. */
  readonly name: string;
  /** Applies the settings to the tool of this server only. */
  readonly server?: string;
  readonly maxInstances?: number;
  readonly timeoutMs?: number;
  /** Overrides the mode of the server for this tool. `strict` ignores the limits in `defaultToolConfig`. */
  readonly mode?: ToolMode;
}

/** A sequence of tool calls, or a script that calls tools, that is exposed as one tool. */
export interface ChainConfig extends ToolLimits {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the chain arguments. */
  readonly input?: JsonSchema;
  /** The calls, their arguments with `{{…}}` placeholders; none if the chain is a script. */
  readonly steps: readonly { readonly tool: string; readonly arguments: JsonObject }[];
  /** The script, which gets the arguments as `input`. */
  readonly code?: string;
}

/** At most `calls` calls in `perMs` milliseconds. */
export interface RateLimit {
  readonly calls: number;
  readonly perMs: number;
}

/** Which calls need approval, and how long an unanswered approval stays open. */
export interface ApprovalConfig {
  readonly mode: ApprovalMode;
  /** Globs over exposed tool names that need no approval in `trusted-only` mode. */
  readonly trustedTools: readonly string[];
  /** Globs over tools that need approval in every mode. */
  readonly ask: readonly string[];
  /** Globs over tools that are never called. */
  readonly deny: readonly string[];
  /** Time until a pending approval expires and the call is denied. */
  readonly expiresMs: number;
  readonly approvers: ApproverGroup;
  /** Whether reads of resources and prompts need approval. */
  readonly reads: ReadMode;
}

/** The limits, naming, approval and chains of a toolbox. */
export interface ToolboxConfig {
  /** Maximum number of concurrent calls over all tools. */
  readonly maxConcurrent: number;
  /** Maximum number of queued calls. Further calls are rejected. */
  readonly maxQueued: number;
  readonly naming: Naming;
  /** Larger results are truncated and marked as such. The client can read the rest in pages. */
  readonly maxResultBytes: number;
  /** Globs over `server/tool`. The results of these tools are secret: callers only get references to them. */
  readonly secretResults: readonly string[];
  readonly approval: ApprovalConfig;
  readonly tools: readonly ToolConfig[];
  readonly chains: readonly ChainConfig[];
  /** Limits of local tools that have no limits of their own. */
  readonly defaultTool: ToolLimits;
  /** Local tools must be listed in `tools`, as the myai dialect requires. */
  readonly localToolsMustBeConfigured: boolean;
}

/** A named subset of servers and tools with its own policy, served at `/mcp/{name}`. */
export interface ProfileConfig {
  readonly name: string;
  /** The purpose of the profile. */
  readonly description?: string;
  /** The profile `default` of a configuration that does not define it. */
  readonly builtIn?: true;
  /** Globs over server names. Undefined includes all servers. */
  readonly servers?: readonly string[];
  /** Globs over `server/tool`. A tool must match `allow`, if it is set, and must not match `deny`. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Globs over URIs of resources. Undefined includes all resources of the servers. */
  readonly resources?: readonly string[];
  /** Globs over `server/prompt`. Undefined includes all prompts of the servers. */
  readonly prompts?: readonly string[];
  /** Globs over `server/path` of skills; `local/path` for those of local folders. Undefined includes all skills. */
  readonly skills?: readonly string[];
  readonly naming: Naming;
  readonly expose: Expose;
  /** The estimated tokens of a list above which `auto` chooses `search`. */
  readonly exposeBudget: number;
  /** Globs over `server/tool`. These tools are listed beside the tools for searching. */
  readonly alwaysList?: readonly string[];
  /** Larger results become references. Undefined: 32 KiB with `search` and `code`, no limit with `all`. */
  readonly maxInlineResultBytes?: number;
  readonly approval: ApprovalConfig;
}

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
  /** Servers and model providers added over the API may use private addresses. Undefined allows this on loopback only. */
  readonly allowPrivateAddresses?: boolean;
  /** URL of the registry of MCP servers. */
  readonly registry: string;
  /** The public origin of the gateway, such as `https://tools.example.com`. */
  readonly url?: string;
  readonly oidc?: OidcConfig;
  readonly jwt?: JwtConfig;
  readonly retention: RetentionConfig;
  /** The key that signs administrative acts and checkpoints of the journal, and a second place for checkpoints. */
  readonly audit?: AuditConfig;
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
  readonly apps: AppsConfig;
  /** Receives a message for each new approval request. */
  readonly webhook?: WebhookConfig;
  /** OTLP over HTTP endpoint for traces. Undefined sends no traces. */
  readonly tracesUrl?: string;
  /** A PostgreSQL URL, or a `${VAR}` or `${file:…}` reference to one. Undefined uses SQLite in the data directory. */
  readonly database?: string;
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
