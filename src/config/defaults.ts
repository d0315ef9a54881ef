import type { ApprovalConfig, GatewayConfig, Naming, ServerSpec, ToolboxConfig, ToolLimits } from './config.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Limits of a tool that has none of its own. */
export const toolDefaults: ToolLimits = { maxInstances: 64, timeoutMs: 30_000 };

/** A server's settings where its configuration has none. */
export const serverDefaults = {
  enabled: true,
  required: false,
  trusted: false,
  protocol: 'auto',
  timeoutMs: 30_000,
  retryAttempts: 3,
  mode: 'dynamic',
  onChange: 'ask',
} as const satisfies Partial<ServerSpec>;

/** The header of an API key, unless the server names another. */
export const apiKeyHeader = 'x-api-key';

export const approvalDefaults: ApprovalConfig = {
  mode: 'auto',
  trustedTools: [],
  ask: [],
  deny: [],
  expiresMs: 10 * minuteMs,
};

export const toolboxDefaults = {
  maxConcurrent: 256,
  maxQueued: 1_000,
  maxResultBytes: 10 * 1024 * 1024,
} satisfies Partial<ToolboxConfig>;

/** Time for a whole chain. */
export const chainTimeoutMs = 5 * minuteMs;

/** How tools are named for MCP clients, unless the profile says otherwise. */
export const profileNaming: Naming = 'server__tool';

export const gatewayDefaults = {
  host: '127.0.0.1',
  port: 7420,
  allowedHosts: [],
  allowedOrigins: [],
  requireAuthentication: false,
  registry: 'https://registry.modelcontextprotocol.io',
  retention: { maxAgeMs: 90 * dayMs, maxCalls: 1_000_000 },
  listWaitMs: 3_000,
  shutdownMs: 10_000,
} satisfies GatewayConfig;

/** What a dialect assumes where the file has no value. */
export interface DialectDefaults {
  readonly required: boolean;
  readonly naming: Naming;
  readonly maxInstances: number;
  /** Plain http to another machine: an error when the file is loaded, or a warning and a refusal to connect. */
  readonly insecureUrl: 'error' | 'warning';
  readonly prompts?: readonly string[];
  readonly localToolsMustBeConfigured: boolean;
  /** A strict server's default limits are accepted and never used. */
  readonly strictIgnoresDefaults: boolean;
}

/** The defaults of Toolwharf's own dialect. */
export const nativeDefaults: DialectDefaults = {
  required: serverDefaults.required,
  naming: 'mcp',
  maxInstances: toolDefaults.maxInstances,
  insecureUrl: 'error',
  localToolsMustBeConfigured: false,
  strictIgnoresDefaults: false,
};
