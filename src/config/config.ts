import type { JsonObject, JsonSchema } from '../kernel/json.ts';
import type { Endpoint } from './endpoint-schema.ts';

/** The one configuration in memory. Every dialect becomes this; defaults are filled in, limits are checked. */
export interface Config {
  /** In the order they were written: in plain naming the last registered wins. */
  readonly servers: readonly ServerSpec[];
  readonly toolbox: ToolboxConfig;
  /** Subsets that the gateway serves under names of their own; the first is `default`. */
  readonly profiles: readonly ProfileConfig[];
  readonly gateway: GatewayConfig;
  /** The dialect the file was written in. */
  readonly dialect: Dialect;
}

/** A checked configuration and where it comes from. */
export interface LoadedConfig {
  readonly config: Config;
  /** The absolute path of the file. */
  readonly file?: string;
  /** Hash of the file's text, by which `watchConfig` knows what is already loaded. */
  readonly contentHash?: string;
  readonly warnings: readonly string[];
}

/** The formats of configuration files. */
export const dialects = ['native', 'squidbot', 'myai', 'bridge', 'client'] as const;
export type Dialect = (typeof dialects)[number];

/** Every transport. `auto` tries Streamable HTTP, then SSE; `api` is an HTTP API whose endpoints become tools. */
export const transports = ['stdio', 'http', 'sse', 'auto', 'api'] as const;
export type TransportName = (typeof transports)[number];

/** Transports of servers that have a URL. */
export const urlTransports = transports.filter((transport) => transport !== 'stdio');

/** Transports that a live connection uses: `auto` has been decided. */
export const connectedTransports = transports.filter((transport) => transport !== 'auto');
export type ConnectedTransport = (typeof connectedTransports)[number];

/** `strict`: a tool must be configured to be offered. `dynamic`: tools that are not configured get the default limits. */
export const toolModes = ['strict', 'dynamic'] as const;
export type ToolMode = (typeof toolModes)[number];

/** How exposed names are built: `mcp_server_tool`, `server__tool`, or the server's own name. */
export const namings = ['mcp', 'server__tool', 'plain'] as const;
export type Naming = (typeof namings)[number];

/** What happens to a tool whose definition changes. */
export const onChangeActions = ['quarantine', 'ask', 'allow'] as const;
export type OnChange = (typeof onChangeActions)[number];

/** Which calls need an approval. */
export const approvalModes = ['auto', 'always-ask', 'trusted-only'] as const;
export type ApprovalMode = (typeof approvalModes)[number];

/** `auto` detects the server's protocol era; the other two skip the detection. */
export const protocolChoices = ['auto', 'legacy', 'modern'] as const;
export type ProtocolChoice = (typeof protocolChoices)[number];

/** A server as configured. Secrets may still be `${VAR}` or `${file:…}` references: they are resolved when it connects. */
export interface ServerSpec {
  readonly name: string;
  readonly description?: string;
  readonly enabled: boolean;
  /** A required server that can't be reached stops the start. */
  readonly required: boolean;
  readonly target: StdioTarget | HttpTarget;
  readonly protocol: ProtocolChoice;
  /** The server's word on read-only and idempotent tools is believed. */
  readonly trusted: boolean;
  /** Time for one request, connect included: 1 000 to 300 000. */
  readonly timeoutMs: number;
  /** Connection attempts after the first, 0 to 5, before the server counts as failed at start. */
  readonly retryAttempts: number;
  readonly mode: ToolMode;
  /** Limits for tools that are not named; in dynamic mode. */
  readonly defaultTool: ToolLimits;
  /** Globs over the server's own tool names. Only allowed ones are registered; denied ones never. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly onChange: OnChange;
  readonly rate?: RateLimit;
  /** Names of prompts to offer; undefined offers all. */
  readonly prompts?: readonly string[];
}

export interface StdioTarget {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HttpTarget {
  readonly transport: Exclude<TransportName, 'stdio'>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly authentication: Authentication;
  /** Plain http to an address that is not loopback. */
  readonly allowInsecure: boolean;
  /** Where the OpenAPI document of an API is: an address or a file. */
  readonly openapi?: string;
  /** Endpoints of an API, described by hand. */
  readonly endpoints?: readonly Endpoint[];
}

export type Authentication =
  | { readonly type: 'none' }
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'api-key'; readonly key: string; readonly header: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | OAuthAuthentication;

export interface OAuthAuthentication {
  readonly type: 'oauth';
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
  /** Where the person's browser comes back to; the callback port's own address if undefined. */
  readonly redirectUrl?: string;
  /** HTTPS address of our client metadata document, for servers that take one instead of a registration. */
  readonly clientMetadataUrl?: string;
}

export interface ToolLimits {
  readonly maxInstances: number;
  readonly timeoutMs: number;
}

/** Settings for one tool by name. Undefined means: take the server's default. */
export interface ToolConfig {
  /** The server's own name for it, or a local tool's name. */
  readonly name: string;
  /** Only for this server's tool of that name. */
  readonly server?: string;
  readonly maxInstances?: number;
  readonly timeoutMs?: number;
  /** Overrides the server's mode for this tool: `strict` does not take limits of its `defaultToolConfig`. */
  readonly mode?: ToolMode;
}

/** Tools that are called one after the other, as one tool. */
export interface ChainConfig extends ToolLimits {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its arguments. */
  readonly input?: JsonSchema;
  readonly steps: readonly {
    readonly tool: string;
    /** With `{{…}}` where something is filled in. */
    readonly arguments: JsonObject;
  }[];
}

export interface RateLimit {
  readonly calls: number;
  readonly perMs: number;
}

export interface ApprovalConfig {
  readonly mode: ApprovalMode;
  /** Globs over agent-visible names that `trusted-only` runs without asking. */
  readonly trustedTools: readonly string[];
  /** Globs that are always asked about, whatever the mode. */
  readonly ask: readonly string[];
  /** Globs that are never run. */
  readonly deny: readonly string[];
  /** How long an approval may wait; then the answer is no. */
  readonly expiresMs: number;
}

export interface ToolboxConfig {
  /** Calls at a time over all tools. */
  readonly maxConcurrent: number;
  /** Calls that may be queued; one more is refused. */
  readonly maxQueued: number;
  readonly naming: Naming;
  /** Results above this are cut, and say so; the rest can be read in pages. */
  readonly maxResultBytes: number;
  readonly approval: ApprovalConfig;
  readonly tools: readonly ToolConfig[];
  readonly chains: readonly ChainConfig[];
  /** Limits of local tools that have none of their own. */
  readonly defaultTool: ToolLimits;
  /** Local tools must be named in `tools` (the myai dialect's rule). */
  readonly localToolsMustBeConfigured: boolean;
}

/** A named subset of servers and tools with its own policy, served at `/mcp/{name}`. */
export interface ProfileConfig {
  readonly name: string;
  /** Globs over server names; undefined means all. */
  readonly servers?: readonly string[];
  /** Globs over `server/tool`. A tool must match one of `allow`, if there are any, and none of `deny`. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly naming: Naming;
  readonly approval: ApprovalConfig;
}

export interface GatewayConfig {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Host names that reach us besides this machine's own. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may talk to us besides our own. */
  readonly allowedOrigins: readonly string[];
  /** Every request needs a key, a token or a session; always so on an address that is not loopback. */
  readonly requireAuthentication: boolean;
  /** Servers that are programs may be added over the API by an administrator; where undefined, on loopback only. */
  readonly allowPrograms?: boolean;
  /** Servers and model providers added over the API may be at private addresses; where undefined, on loopback only. */
  readonly allowPrivateAddresses?: boolean;
  /** The registry of MCP servers that is searched for new ones. */
  readonly registry: string;
  readonly jwt?: JwtConfig;
  readonly retention: RetentionConfig;
  /** How long a list waits for servers that are still starting. */
  readonly listWaitMs: number;
  /** How long running calls may go on when the gateway is told to stop. */
  readonly shutdownMs: number;
  /** Told of every question to a person. */
  readonly webhook?: WebhookConfig;
  /** Where traces are sent (OTLP over HTTP); none where undefined. */
  readonly tracesUrl?: string;
  /** A PostgreSQL URL, or a `${VAR}` or `${file:…}` reference to one; SQLite in the data directory where undefined. */
  readonly database?: string;
}

/** Tokens of an identity provider that callers may use instead of a key. */
export interface JwtConfig {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** The claim that names the profile; undefined gives everybody the default one. */
  readonly profileClaim?: string;
  /** The claim and value that make an administrator. */
  readonly adminClaim?: string;
  readonly adminValue?: string;
}

export interface RetentionConfig {
  readonly maxAgeMs: number;
  readonly maxCalls: number;
}

export interface WebhookConfig {
  readonly url: string;
  /** Signs each message (HMAC-SHA256); may be a `${VAR}` reference. */
  readonly secret?: string;
}
