import type { DeepReadonly, JsonObject, JsonSchema } from '../json.ts';
import type {
  ApprovalMode,
  ApproverGroup,
  ArgumentValidation,
  BudgetAction,
  BudgetCount,
  BudgetSubject,
  credentialChoices,
  Dialect,
  Expose,
  FlowAction,
  FlowScope,
  Isolation,
  LabelTarget,
  lifecycles,
  Naming,
  NewToolMode,
  OnChange,
  OnPolicyFailure,
  PluginMode,
  PolicyAction,
  ProtocolChoice,
  placements,
  ReadMode,
  ToolMode,
} from './choices.ts';
import type { Endpoint } from './endpoint-schema.ts';
import type { GatewayConfig } from './gateway-config.ts';
import type { OAuthAuthentication } from './oauth-config.ts';
import type { PluginEntry, PluginTarget } from './plugin-config.ts';
import type { PolicyExample } from './policy-schema.ts';
import type { CheckedRedaction } from './redaction-schema.ts';
import type { SandboxConfig } from './sandbox-schema.ts';
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
  /** Conditions over calls. Undefined if the file has no rules. */
  readonly policy?: PolicyConfig;
  /** Budgets for calls. Undefined if the file has none. */
  readonly budgets?: readonly BudgetConfig[];
  /** Labels of results, and where labelled data must not go. Undefined if the file has none. */
  readonly flows?: FlowsConfig;
  /** What is redacted in calls. Undefined if the file says nothing about it. */
  readonly redaction?: DeepReadonly<CheckedRedaction>;
  /** The features of the gateway that the file switches on or off, by name. */
  readonly features: Readonly<Record<string, boolean>>;
  /** The dialect of the file. */
  readonly dialect: Dialect;
}

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
  readonly placement: (typeof placements)[number];
  /** `lazy`: a call connects the server, and it sleeps when nothing has used it for `idleAfterMs`. */
  readonly lifecycle: (typeof lifecycles)[number];
  readonly idleAfterMs: number;
  /** What the program of the server may touch. Undefined uses the default of the gateway. */
  readonly sandbox?: SandboxConfig;
  readonly validation: ArgumentValidation;
  /** Trusts the read-only and idempotent annotations of the server. */
  readonly trusted: boolean;
  /** Request timeout, connecting included: 1 000 to 300 000. */
  readonly timeoutMs: number;
  /** Time limit of a start with a package runner, which may have to install the package first. */
  readonly installTimeoutMs: number;
  /** Time limit of a call that reports progress: each report restarts its timeout, up to this limit. */
  readonly maxTimeoutMs: number;
  /** How long a call that timed out or was cancelled keeps its permits if the server does not answer it: 0 to 600 000. */
  readonly cancelGraceMs: number;
  /** How long an unanswered question may delay other calls that may ask too. */
  readonly questionHoldMs: number;
  /** Attempts after a failed one that the start waits for if the server is required, 0 to 5. They go on in the background. */
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

/** At most `calls` calls in `perMs` milliseconds. */
export interface RateLimit {
  readonly calls: number;
  readonly perMs: number;
}

/** Settings of one tool. Undefined values use the defaults of the server. */
export interface ToolConfig extends Partial<ToolLimits> {
  /** The tool name that the server uses, or the name of a local tool. */
  readonly name: string;
  /** Applies the settings to the tool of this server only. */
  readonly server?: string;
  /** Overrides the mode of the server for this tool. `strict` ignores the limits in `defaultToolConfig`. */
  readonly mode?: ToolMode;
}

/** The rules of a policy, in file order. */
export interface PolicyConfig {
  readonly rules: readonly PolicyRule[];
}

/** A condition over calls, and what it does with those for which it is true. */
export interface PolicyRule {
  readonly id: string;
  /** In CEL. */
  readonly when: string;
  readonly then: PolicyAction;
  /** The label that `label` adds. */
  readonly add?: string;
  /** The classes of values that `redact` masks; all that have detectors if undefined. */
  readonly classes?: readonly string[];
  readonly reason?: string;
  readonly mode: PluginMode;
  readonly onFailure: OnPolicyFailure;
  /** Undefined applies the rule in all profiles. */
  readonly profiles?: readonly string[];
  readonly examples: readonly PolicyExample[];
}

/** How much calls may use within a sliding window. */
export interface BudgetConfig {
  readonly id: string;
  /** Whose calls are counted together; all calls if empty. */
  readonly per: readonly BudgetSubject[];
  /** Globs over tools; undefined for all tools. */
  readonly tools?: readonly string[];
  /** A condition in CEL. */
  readonly when?: string;
  /** What is counted; undefined for a budget with a sum. */
  readonly count?: BudgetCount;
  /** A number in CEL. */
  readonly sum?: string;
  readonly windowMs: number;
  readonly max: number;
  readonly then: BudgetAction;
  readonly mode: PluginMode;
  readonly reason?: string;
}

/** The labels and data flows of a policy, in file order. */
export interface FlowsConfig {
  readonly labels: readonly LabelRule[];
  readonly flows: readonly FlowRule[];
  /** The time after the last labelled result at which a conversation loses its labels. */
  readonly labelsExpireMs: number;
}

/** Which results get a label. */
export interface LabelRule {
  readonly on: LabelTarget;
  /** Globs over the names of servers, or over `server/tool`. */
  readonly match?: readonly string[];
  /** In CEL. */
  readonly when?: string;
  readonly add: string;
}

/** What happens to calls that labelled data would reach. */
export interface FlowRule {
  readonly id: string;
  /** The flow is about calls with one of these labels. */
  readonly from: readonly string[];
  /** In CEL. */
  readonly to: string;
  readonly then: FlowAction;
  readonly within: FlowScope;
  readonly reason?: string;
  readonly mode: PluginMode;
  readonly onFailure: OnPolicyFailure;
  /** Undefined applies the flow in all profiles. */
  readonly profiles?: readonly string[];
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
  /** Maximum number of programs of lazy servers that start at the same time. */
  readonly maxStarting: number;
  readonly naming: Naming;
  /** Larger results are truncated and marked as such. The client can read the rest in pages. */
  readonly maxResultBytes: number;
  /** For profiles that do not set it, and for calls without a profile. */
  readonly newTools: NewToolMode;
  /** Globs over `server/tool`. The results of these tools are secret: callers only get references to them. */
  readonly secretResults: readonly string[];
  /** How the programs of `${command:…}` and `${keychain:…}` run. */
  readonly secretCommands: { readonly timeoutMs: number; readonly cacheMs: number };
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
  /** The only server that an endpoint shows of the profile, where a request names one; never configured. */
  readonly only?: string;
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
  /** `hide`: a tool that a server offers after its first list can be used after a person has accepted it. */
  readonly newTools: NewToolMode;
  /** Larger results become references. Undefined: 32 KiB with `search` and `code`, no limit with `all`. */
  readonly maxInlineResultBytes?: number;
  readonly approval: ApprovalConfig;
}
