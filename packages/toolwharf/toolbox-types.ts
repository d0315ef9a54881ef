import type { JsonObject } from '../contract/json.ts';
import type { Config, ProfileConfig } from '../contract/settings/config.ts';
import type { NativeServer } from '../contract/settings/server-schema.ts';
import type { CatalogEntry, CatalogTool } from './catalog/catalog-entry.ts';
import type { LocalTool } from './catalog/local-tool.ts';
import type { Pin, PinStore } from './catalog/pins.ts';
import type { ToolOverride, ToolOverrideStore, ToolOverrides } from './catalog/tool-overrides.ts';
import type { LoadedConfig } from './config/load-config.ts';
import type { SignInState } from './connections/authentication/sign-in-state.ts';
import type { OAuthPorts } from './connections/http/http-endpoint.ts';
import type { ConnectionStatus } from './connections/status.ts';
import type { TrafficLog } from './connections/traffic/traffic-log.ts';
import type { ArgumentLimits } from './invocation/argument-budget.ts';
import type { Call, CallHost, RunningCall } from './invocation/call.ts';
import type { CallRecord } from './invocation/call-record.ts';
import type { InternalStartOptions, StartOptions } from './invocation/invoker.ts';
import type { CallFilter, Journal } from './invocation/journal.ts';
import type { LargeResults, ResultPage } from './invocation/large-results.ts';
import type { PermitLimits, PermitStats, Permits } from './invocation/permits.ts';
import type { Rates } from './invocation/rates.ts';
import type { InternalReadOptions, ReadOptions } from './invocation/read-content.ts';
import type { FindResult } from './invocation/references.ts';
import type { ToolboxScripts } from './invocation/run-steps.ts';
import type { Embed } from './kernel/embed.ts';
import type { InternalToolSource } from './kernel/internal-source.ts';
import type { Log } from './kernel/log.ts';
import type { Caller, Tool, ToolResult, ToolSource } from './kernel/tool.ts';
import type { ToolId } from './kernel/tool-id.ts';
import type { Plugin, PluginUse } from './plugins/plugin.ts';
import type { ActiveRoute, FeaturePlugin, PluginInfo } from './plugins/plugin-set.ts';
import type { Approver, ApproverFunction } from './policy/approval.ts';
import type { RedactForModel } from './policy/redaction.ts';
import type { RememberedRule, RuleStore } from './policy/remembered-rules.ts';
import type { Person } from './policy/review.ts';
import type { DefinitionFinding } from './policy/scan-definition.ts';
import type { IsListed } from './policy/visible-tools.ts';
import type { AccountPorts } from './servers/accounts/open-accounts.ts';
import type { ToolboxAccounts } from './servers/accounts/toolbox-accounts.ts';
import type { PlacementPort } from './servers/open-server.ts';
import type { ResourceOwnerStore, ResourceOwners } from './servers/resource-owners.ts';
import type { ServerContent } from './servers/server-content.ts';
import type { ServerInfo } from './servers/server-info.ts';
import type { InternalToolboxSkills, ToolboxSkills } from './servers/skills/toolbox-skills.ts';
import type { ToolboxEvents } from './servers/toolbox-events.ts';
import type { OpenPluginRecords } from './storage/ports/record-store.ts';

/** How a toolbox is opened. */
export interface ToolboxOptions {
  /** Tools written in code, beside those of the servers. */
  readonly tools?: readonly LocalTool[];
  /** Plugins, before those that the configuration names. */
  readonly plugins?: readonly (Plugin | PluginUse)[];
  /** Receives log entries. Without one, warnings and errors are written to stderr; `false` discards them. */
  readonly log?: Log | false;
  /** Answers approvals; without one, a call that needs approval is denied. */
  readonly approver?: Approver | ApproverFunction;
  /** Answers for calls without their own host. Questions without a matching method are refused. */
  readonly host?: CallHost;
  /** Signs in to servers that require OAuth. */
  readonly oauth?: OAuthPorts;
  /** Records calls; in memory by default. */
  readonly journal?: Journal;
  /** Stores accepted tool definitions; in memory by default. */
  readonly pins?: PinStore;
  /** Stores remembered approvals; in memory by default. */
  readonly rules?: RuleStore;
  /** Runs scripts, such as `createScripts()` of `toolwharf/code`; without it, scripts cannot run. */
  readonly scripts?: ToolboxScripts;
  /** Ranks tools by their meaning too when models search them, such as `createEmbeddings()` of `toolwharf/embeddings`. */
  readonly embed?: Embed;
  /** The environment for `${VAR}` and overrides; `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Applies changes of the configuration file while running; false. */
  readonly watch?: boolean;
  /** Allows servers that are started as local programs; true. */
  readonly spawn?: boolean;
  /** Connects the enabled servers at once; true. Otherwise each waits for `servers.connect`. */
  readonly connect?: boolean;
  /** How long the start waits for servers that are not required; 10 000. */
  readonly startWaitMs?: number;
  /** The largest message accepted from a server; 64 MiB. */
  readonly maxMessageBytes?: number;
  /** Cancels the start. */
  readonly signal?: AbortSignal;
}

/** Options that only the gateway and the command line use. */
export interface InternalToolboxOptions extends ToolboxOptions {
  /** Whether servers that are added while running must have public addresses; undefined trusts them like those of the file. */
  readonly publicOnly?: (config: Config) => boolean;
  /** Starts although required servers are unreachable or strict servers offer unconfigured tools; false. */
  readonly tolerant?: boolean;
  /** Ends the wait of the start for servers that are not required. */
  readonly stopWaiting?: AbortSignal;
  /** Listeners that receive events from the very start. */
  readonly listeners?: { readonly [Name in keyof ToolboxEvents]?: (event: ToolboxEvents[Name]) => void };
  /** The person behind a caller, whom reviews of plugins know; unknown by default. */
  readonly findPerson?: (caller: Caller) => Promise<Person | undefined>;
  /** The ids of all callers of the person behind a caller, whose history conditions know; only that one by default. */
  readonly findCallers?: (caller: Caller) => Promise<readonly string[]>;
  /** The plugins of features. */
  readonly featurePlugins?: readonly FeaturePlugin[];
  /** Stores records of plugins; in memory by default. */
  readonly openPluginRecords?: OpenPluginRecords;
  /** Stores overrides of tools; in memory by default. */
  readonly overrides?: ToolOverrideStore;
  /** Stores which server owns which resource URI; in memory by default. */
  readonly resourceOwners?: ResourceOwnerStore;
  /** Finds the result of a reference on other replicas. */
  readonly findResultElsewhere?: FindResult;
  /** The limits that other replicas share; those of this process by default. */
  readonly limits?: LimitPorts;
  readonly argumentLimits?: ArgumentLimits;
  /** Rejects a changed configuration that cannot be used here; then nothing of it is applied. */
  readonly assertUsable?: (changed: LoadedConfig) => void | Promise<void>;
  /** Shares the servers that one replica runs for all; undefined if there are none. */
  readonly placements?: PlacementPort;
  /** The accounts of people at servers with per-user credentials; in memory by default. */
  readonly accounts?: AccountPorts;
  /** How long a server may be silent and miss a check before it counts as degraded; 30 000. */
  readonly healthMs?: number;
}

/** The source of permits and rates. */
export interface LimitPorts {
  createPermits(limits: PermitLimits): Permits;
  readonly rates: Rates;
}

/** The servers of a toolbox. */
export interface ToolboxServers {
  list(): readonly ServerInfo[];
  get(name: string): ServerInfo | undefined;
  /** The connection status alone, which is cheaper than `get`. */
  status(name: string): ConnectionStatus | undefined;
  /** Adds a server, written as in the `servers:` map. It is kept and retried when it cannot be reached. */
  add(name: string, server: NativeServer | JsonObject): Promise<ServerInfo>;
  update(name: string, server: NativeServer | JsonObject): Promise<ServerInfo>;
  remove(name: string): Promise<void>;
  connect(name: string): Promise<ServerInfo>;
  disconnect(name: string): Promise<ServerInfo>;
  /** Reads the server's tools again. */
  refreshTools(name: string): Promise<readonly Tool[]>;
  /** Completes a sign-in with the parameters of the OAuth redirect; undefined when no server waits for them. */
  finishSignIn(params: URLSearchParams): Promise<ServerInfo | undefined>;
  /** The last lines of the server's error output. */
  stderr(name: string): readonly string[];
  /** Sends any request to the server and returns its result unchanged. */
  request: ServerContent['request'];
  /** Suggests values for an argument of a prompt or resource template. Recorded in the journal. */
  complete(server: string, params: JsonObject, options?: ReadOptions): Promise<JsonObject>;
  /** Sets the level from which a legacy server sends log messages. */
  setLogLevel: ServerContent['setLogLevel'];
}

/** The calls of a toolbox: the journal, and the calls that have not ended. */
export interface ToolboxCalls {
  /** Recorded calls, newest first. */
  list(filter?: CallFilter): Promise<readonly CallRecord[]>;
  /** The call with this id, while it has not ended. */
  find(id: string): Call | undefined;
  /** How many calls are running and queued, by tool. */
  stats(): PermitStats;
  /** Part of a result that was truncated; undefined when it is no longer kept. */
  readResult(id: string, offset?: number, length?: number): ResultPage | undefined;
}

/** Decisions of people: remembered answers and accepted definitions. */
export interface ToolboxApprovals {
  rules(): Promise<readonly RememberedRule[]>;
  /** False when there is no such rule. */
  revokeRule(id: string): Promise<boolean>;
  pins(): Promise<readonly Pin[]>;
  /** Accepts a changed definition; false when the tool has no change to accept. */
  acceptChange(tool: string | ToolId): Promise<boolean>;
}

/** Properties of tools that agents do not see. */
export interface ToolboxCatalog<Entry = CatalogTool> {
  /** Every tool. The same list until a tool changes. */
  readonly entries: readonly Entry[];
  /** Limits, definition hash, and the changes since the definition was accepted. */
  find(tool: string | ToolId): Entry | undefined;
  /** The suspicious parts of a tool's definition: a reason to review it, not a verdict. */
  warnings(tool: string | ToolId): readonly DefinitionFinding[];
}

/** Every tool of every server and of the program itself. Closing it ends every process it started. */
export interface Toolbox extends ToolSource, AsyncDisposable {
  tool(name: string): Tool | undefined;
  /**
   * Starts a call that can be observed and cancelled while it runs. Never throws.
   *
   * @example
   * ```ts
   * import { createToolbox } from 'toolwharf';
   *
   * await using toolbox = await createToolbox({
   *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
   * });
   * const call = toolbox.start({ server: 'everything', tool: 'echo' }, { message: 'ahoy' });
   * for await (const event of call.events) if (event.type === 'state') console.log(event.state);
   * // received
   * // running
   * // ended
   * console.log((await call.result).text); // Echo: ahoy
   * ```
   */
  start(tool: string | ToolId, args: unknown, options?: StartOptions): Call;
  /**
   * Starts a call and waits for its result. Never throws: every failure is a result with `isError`.
   *
   * @example
   * ```ts
   * import { createToolbox } from 'toolwharf';
   *
   * await using toolbox = await createToolbox({
   *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
   * });
   * const { isError, text, failure } = await toolbox.call('mcp_everything_echo', { mesage: 'ahoy' });
   * console.log(isError, failure?.code); // true ARGUMENTS_INVALID
   * ```
   */
  call(tool: string | ToolId, args: unknown, options?: StartOptions): Promise<ToolResult>;
  readonly servers: ToolboxServers;
  readonly resources: ToolboxResources;
  readonly prompts: ToolboxPrompts;
  readonly skills: ToolboxSkills;
  readonly calls: ToolboxCalls;
  readonly approvals: ToolboxApprovals;
  readonly catalog: ToolboxCatalog;
  readonly config: Config;
  /** The configuration file, if there is one, and the warnings of loading it. */
  readonly loaded: Pick<LoadedConfig, 'file' | 'warnings' | 'isDefault'>;
  /** Returns the function that ends the subscription. */
  on<Name extends keyof ToolboxEvents>(name: Name, listener: (event: ToolboxEvents[Name]) => void): () => void;
  close(): Promise<void>;
}

type ResourceLists = ServerContent['resources'];
type PromptLists = ServerContent['prompts'];

/** The resources of all servers. Reads are recorded in the journal, and need approval if `approval.reads` is `ask`. */
export interface ToolboxResources<Options = ReadOptions> extends ResourceLists {
  read(server: string, uri: string, options?: Options): Promise<JsonObject>;
}

/** The prompts of all servers. Reads are recorded in the journal, and need approval if `approval.reads` is `ask`. */
export interface ToolboxPrompts<Options = ReadOptions> extends PromptLists {
  get(server: string, name: string, args?: Readonly<Record<string, string>>, options?: Options): Promise<JsonObject>;
}

/** The calls of a toolbox, with the operations for the gateway. */
export interface InternalToolboxCalls extends ToolboxCalls {
  find(id: string): RunningCall | undefined;
  /** The results that callers get by reference. `findHere` does not ask other replicas. */
  readonly results: Pick<LargeResults, 'add'> & {
    readonly find: FindResult;
    readonly findHere: LargeResults['find'];
  };
  /** Leaves the calls that wait for approval to other replicas, if there can be any. */
  handOver(): void;
  /** Resolves when no call here runs or waits for a permit that may lead to one of these servers. New calls must be refused meanwhile. */
  ended(servers: readonly string[]): Promise<void>;
}

/** The servers of a toolbox, with the operations for the gateway. */
export interface InternalToolboxServers extends ToolboxServers {
  /** Tells servers that keep the sessions of clients apart that the roots of this client have changed. */
  notifyRootsChanged(clientSession: string): void;
  /** Connects the servers that wait for a sign-in, which another replica may have finished. */
  retrySignIns(): Promise<void>;
  /** `isKnown`: the server existed before the start, and is not logged as added. */
  add(name: string, server: NativeServer | JsonObject, options?: { readonly isKnown?: boolean }): Promise<ServerInfo>;
  /** The sign-in to a server without its secrets, and the latest attempts; undefined for servers without OAuth. */
  signInState(name: string): Promise<SignInState | undefined>;
  complete(server: string, params: JsonObject, options?: InternalReadOptions): Promise<JsonObject>;
  /** Deletes and revokes the sign-in to a server, and connects again. */
  signOut(name: string): Promise<void>;
  /** Deletes and revokes the sign-in to a server that is going to be removed. */
  forgetSignIn(name: string): Promise<void>;
  /** The messages between the gateway and a server. */
  traffic(name: string): TrafficLog;
}

/** The toolbox as the gateway, the chat and the command line use it: on behalf of callers with their own policy. */
export interface InternalToolbox extends Toolbox {
  readonly servers: InternalToolboxServers;
  readonly resources: ToolboxResources<InternalReadOptions>;
  readonly prompts: ToolboxPrompts<InternalReadOptions>;
  /** Which server a resource URI belongs to. */
  readonly resourceOwners: Pick<ResourceOwners, 'find' | 'findTemplate'>;
  readonly skills: InternalToolboxSkills;
  readonly calls: InternalToolboxCalls;
  readonly catalog: ToolboxCatalog<CatalogEntry>;
  readonly accounts: ToolboxAccounts;
  start(tool: string | ToolId | CatalogEntry, args: unknown, options?: InternalStartOptions): Call;
  readonly waitForTools: NonNullable<InternalToolSource['waitForTools']>;
  /** Compares all tools with their pins, which another replica has changed. */
  reloadPins(): Promise<void>;
  /** The plugins in use. */
  plugins(): readonly PluginInfo[];
  /** The routes of plugins; the same list until other plugins are in use. */
  pluginRoutes(): readonly ActiveRoute[];
  /** The tools for models that plugins show in a profile. */
  toolsOf(profile?: string): readonly Tool[];
  /** Whether plugins show a tool in a profile. */
  readonly isListed: IsListed;
  /** Changes when plugins may show other tools. */
  readonly visibilityVersion: unknown;
  /** Redacts what a model gets. */
  readonly redactForModel: RedactForModel;
  /** Whether the results of a tool are secret. */
  isSecret(tool: CatalogEntry): boolean;
  /** Whether tools that are scripts can run. */
  readonly runsScripts: boolean;
  readonly observeOutput?: InternalToolSource['observeOutput'];
  readonly listServers: NonNullable<InternalToolSource['listServers']>;
  readonly recordSearch: NonNullable<InternalToolSource['recordSearch']>;
  /** The number of calls that the queue refused: at the limit of a caller, or of all callers. */
  readonly queueRefusals?: { readonly caller: number; readonly total: number };
}

/** The toolbox with the settings that administrators change while it runs. */
export interface AdministeredToolbox extends InternalToolbox {
  readonly catalog: AdministeredCatalog;
  /** Adds profiles to those of the file. `build` is called again when the file changes. */
  setProfiles(build: (config: Config) => readonly ProfileConfig[]): void;
}

/** The catalog as administrators use it. */
export interface AdministeredCatalog extends ToolboxCatalog<CatalogEntry> {
  /** The tools that are switched off. They cannot be found or called. */
  readonly disabled: readonly CatalogEntry[];
  /** The overrides that administrators set, by the key of the tool. */
  readonly overrides: ToolOverrides;
  /** The override of a tool. */
  overrideOf(tool: ToolId): ToolOverride | undefined;
  /** Stores and applies overrides. Rejects a name that another tool has. */
  override(overrides: readonly ToolOverride[]): Promise<void>;
  /** Reads the overrides again, which another replica may have changed. */
  reloadOverrides(): Promise<void>;
}
