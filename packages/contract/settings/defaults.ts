import { omitUndefined } from '../json.ts';
import type { Naming } from './choices.ts';
import type { ApprovalConfig, ServerSpec, ToolboxConfig, ToolLimits } from './config.ts';
import type { GatewayConfig, GatewayLimits } from './gateway-config.ts';
import type { OidcConfig } from './oidc-config.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Default limits of a tool. */
export const toolDefaults: ToolLimits = { maxInstances: 64, timeoutMs: 30_000 };

/** For tools that only the limit of all calls limits. */
export const unlimitedTool: ToolLimits = { ...toolDefaults, maxInstances: Number.MAX_SAFE_INTEGER };

/** The limits that a tool sets itself. */
export function limitsOf({ maxInstances, timeoutMs }: Partial<ToolLimits>): Partial<ToolLimits> {
  return omitUndefined({ maxInstances, timeoutMs });
}

/** Default settings of a server. */
export const serverDefaults = {
  enabled: true,
  required: false,
  trusted: false,
  protocol: 'auto',
  isolation: 'shared',
  credentials: 'shared',
  maxAccountConnections: 64,
  placement: 'everywhere',
  lifecycle: 'eager',
  idleAfterMs: 10 * minuteMs,
  validation: 'strict',
  timeoutMs: 30_000,
  installTimeoutMs: 5 * minuteMs,
  maxTimeoutMs: 10 * minuteMs,
  cancelGraceMs: 20_000,
  questionHoldMs: 15_000,
  retryAttempts: 3,
  mode: 'dynamic',
  onChange: 'ask',
} as const satisfies Partial<ServerSpec>;

/** Whether one replica runs the server for all. */
export function runsOnce({ placement }: { readonly placement?: unknown }): boolean {
  return placement === 'single';
}

/** Default header for an API key. */
export const apiKeyHeader = 'x-api-key';

export const approvalDefaults: ApprovalConfig = {
  mode: 'auto',
  trustedTools: [],
  ask: [],
  deny: [],
  expiresMs: 10 * minuteMs,
  approvers: 'admins',
  reads: 'allow',
};

export const toolboxDefaults = {
  maxConcurrent: 256,
  maxQueued: 1_000,
  maxStarting: 4,
  maxResultBytes: 10 * 1024 * 1024,
  newTools: 'show',
  secretCommands: { timeoutMs: 10_000, cacheMs: 0 },
} satisfies Partial<ToolboxConfig>;

/** Default timeout of a chain. */
export const chainTimeoutMs = 5 * minuteMs;

/** Default naming of tools for MCP clients. */
export const profileNaming: Naming = 'server__tool';

/** Default listing of the tools of a profile. */
export const exposeDefaults = { expose: 'all', exposeBudget: 10_000 } as const;

/** The size above which results become references, for profiles that list the tools for searching or for scripts. */
export const defaultMaxInlineResultBytes = 32 * 1024;

const mebibyte = 1024 * 1024;

/** Default limits on what callers of the gateway can consume. */
export const limitDefaults: GatewayLimits = {
  maxBodyBytes: 4 * mebibyte,
  maxBodyDepth: 200,
  maxBodyMembers: 10_000,
  maxSessions: 10_000,
  maxSessionsPerCaller: 2_000,
  maxStreams: 4_000,
  maxStreamsPerCaller: 500,
  maxSubscriptions: 20_000,
  maxSubscriptionsPerCaller: 4_000,
  maxReads: 1_000,
  maxReadsPerCaller: 100,
  maxConversationsPerCaller: 1_000,
  maxRunningAnswersPerCaller: 20,
  maxPendingApprovals: 1_000,
  maxPendingApprovalsPerCaller: 100,
  maxRunningCallsPerCaller: 192,
  maxQueuedCallsPerCaller: 500,
  slowClientTimeoutMs: 120_000,
  maxStoredResultBytes: 64 * mebibyte,
  maxStoredResultBytesPerCaller: 64 * mebibyte,
  maxScripts: 8,
  maxScriptsPerCaller: 20,
};

export const gatewayDefaults = {
  host: '127.0.0.1',
  port: 7420,
  allowedHosts: [],
  allowedOrigins: [],
  publishServers: false,
  requireAuthentication: false,
  registry: 'https://registry.modelcontextprotocol.io',
  retention: { maxAgeMs: 90 * dayMs, maxCalls: 1_000_000 },
  trustedProxies: [],
  limits: limitDefaults,
  apps: { enabled: true, domains: [] },
  sandbox: { default: 'off' },
  newServers: 'start',
  listWaitMs: 3_000,
  questionTimeoutMs: 300_000,
  shutdownMs: 10_000,
  leaseMs: 30_000,
} satisfies GatewayConfig;

/** The defaults of sign-in through an identity provider. */
export const oidcDefaults = {
  clientAuthentication: 'basic',
  scopes: ['openid', 'profile', 'email'],
  groupsClaim: 'groups',
  roles: {},
  defaultRole: 'none',
  profiles: {},
  tokenScopes: { read: 'toolwharf:read', call: 'toolwharf:call', admin: 'toolwharf:admin' },
} satisfies Partial<OidcConfig>;

/** The default values of a dialect. */
export interface DialectDefaults {
  readonly required: boolean;
  readonly naming: Naming;
  /** Limits of tools that have none of their own. */
  readonly defaultTool: ToolLimits;
  /**
   * Plain http to another machine: `error` rejects the file, `warning` accepts the file but does not connect the
   * server.
   */
  readonly insecureUrl: 'error' | 'warning';
  readonly prompts?: readonly string[];
  readonly localToolsMustBeConfigured: boolean;
  /** Accepts the default limits of a strict server and ignores them. */
  readonly strictIgnoresDefaults: boolean;
}

/** The defaults of the native dialect. */
export const nativeDefaults: DialectDefaults = {
  required: serverDefaults.required,
  naming: 'mcp',
  defaultTool: toolDefaults,
  insecureUrl: 'error',
  localToolsMustBeConfigured: false,
  strictIgnoresDefaults: false,
};
