import type { CatalogDifference, CatalogEntry } from './catalog/catalog.ts';
import type { LocalTool } from './catalog/local-tool.ts';
import type { Pin, PinStore } from './catalog/pins.ts';
import type { Config } from './config/config.ts';
import type { LoadedConfig } from './config/load-config.ts';
import type { NativeServer } from './config/server-schema.ts';
import type { ListKind } from './connections/discovery.ts';
import type { OAuthPorts } from './connections/http/http-endpoint.ts';
import type { ConnectionState, ConnectionStatus } from './connections/status.ts';
import type { Call, CallHost } from './invocation/call.ts';
import type { CallRecord } from './invocation/call-record.ts';
import type { StartOptions } from './invocation/invoker.ts';
import type { CallFilter, Journal } from './invocation/journal.ts';
import type { ResultPage } from './invocation/large-results.ts';
import type { PermitStats } from './invocation/permits.ts';
import type { ToolwharfError } from './kernel/errors.ts';
import type { JsonObject } from './kernel/json.ts';
import type { Log } from './kernel/log.ts';
import type { Tool, ToolResult, ToolSource } from './kernel/tool.ts';
import type { ToolId } from './kernel/tool-id.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from './policy/approval.ts';
import type { RememberedRule, RuleStore } from './policy/remembered-rules.ts';
import type { DefinitionFinding } from './policy/scan-definition.ts';
import type { AppliedConfig } from './servers/apply-config.ts';
import type { FlaggedTool } from './servers/flag-tools.ts';
import type { ServerContent, ServerNotice } from './servers/server-content.ts';
import type { ServerInfo } from './servers/server-info.ts';

export interface ToolboxOptions {
  /** Tools written in code, beside the servers'. */
  readonly tools?: readonly LocalTool[];
  /** The library says nothing unless given one. */
  readonly log?: Log;
  /** Answers where the approval mode asks. Without one the answer is no. */
  readonly approver?: Approver;
  /** Answers for calls that bring no host of their own. Questions that nobody answers are refused. */
  readonly host?: CallHost;
  /** For servers that want a sign-in. */
  readonly oauth?: OAuthPorts;
  readonly journal?: Journal;
  readonly pins?: PinStore;
  readonly rules?: RuleStore;
  /** Where `${VAR}` and overrides are read from; `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Applies changes of the configuration file while running; false. */
  readonly watch?: boolean;
  /** Servers may be programs started here; true. Otherwise only those reached over HTTP are taken. */
  readonly spawn?: boolean;
  /** Whether servers that are added while running must be at public addresses; left out, their addresses are trusted like the file's. */
  readonly publicOnly?: () => boolean;
  /** Connects the enabled servers at once; true. Otherwise each waits for `connect`. */
  readonly connect?: boolean;
  /** To look at all servers: required ones may be away, and strict ones may offer tools nobody configured; false. */
  readonly tolerant?: boolean;
  /** Listeners that hear of everything from the very start. */
  readonly listeners?: { readonly [Name in keyof ToolboxEvents]?: (event: ToolboxEvents[Name]) => void };
  /** How long the start waits for servers that are not required; 10 000. */
  readonly startWaitMs?: number;
  /** How long a quiet connection is believed before it is asked whether it still lives; 30 000. */
  readonly healthMs?: number;
  /** The largest message read from a server; 64 MiB. */
  readonly maxMessageBytes?: number;
  /** Ends a start that takes too long. */
  readonly signal?: AbortSignal;
}

export interface ToolboxEvents {
  'server.changed': { readonly server: string; readonly status: ConnectionStatus; readonly before: ConnectionState };
  'server.notified': ServerNotice;
  'catalog.changed': CatalogDifference & { readonly server?: string };
  /** A tool came, or changed, whose definition a person should look at before it is used. */
  'tool.flagged': FlaggedTool;
  /** A server's resources, resource templates or prompts were read: the first time, or because they changed. */
  'content.changed': { readonly server: string; readonly kind: Exclude<ListKind, 'tools'> };
  'call.changed': CallRecord;
  'approval.asked': ApprovalRequest;
  'approval.answered': { readonly request: ApprovalRequest; readonly answer: ApprovalAnswer };
  'config.applied': AppliedConfig;
  'config.refused': { readonly error: ToolwharfError };
}

/** Every tool of every server and of the program itself, ready to use. Closing it leaves no process behind. */
export interface Toolbox extends ToolSource, ServerContent, AsyncDisposable {
  readonly config: Config;
  /** The file it came from, if it was one, and what loading it had to say. */
  readonly loaded: Pick<LoadedConfig, 'file' | 'warnings'>;
  /** Starts a call that can be observed and cancelled while it runs. Never throws. */
  start(tool: string | ToolId | CatalogEntry, args: unknown, options?: StartOptions): Call;
  /** Starts a call and waits for its result. Never throws: every failure is a result with `isError`. */
  call(tool: string | ToolId, args: unknown, options?: StartOptions): Promise<ToolResult>;
  /** The call with this id, while it has not ended. */
  findCall(id: string): Call | undefined;
  tool(name: string): Tool | undefined;
  /** How a tool is known: limits, definition hash, and what changed since it was accepted. */
  entry(tool: string | ToolId): CatalogEntry | undefined;
  /** What is suspicious about a tool's definition: a reason to look at it, not a verdict. */
  warnings(tool: string | ToolId): readonly DefinitionFinding[];
  servers(): readonly ServerInfo[];
  server(name: string): ServerInfo | undefined;
  /** How a server is doing, for those who want no more than that. */
  status(name: string): ConnectionStatus | undefined;
  /** Takes a server in the words of the `servers:` map. It stays, and is tried again, when it can't be reached. */
  addServer(name: string, server: NativeServer | JsonObject): Promise<ServerInfo>;
  updateServer(name: string, server: NativeServer | JsonObject): Promise<ServerInfo>;
  removeServer(name: string): Promise<void>;
  connect(server: string): Promise<ServerInfo>;
  disconnect(server: string): Promise<ServerInfo>;
  /** Asks a server for its tools again. */
  discover(server: string): Promise<readonly Tool[]>;
  /** Takes what a browser brought back from a sign-in, and connects that server; undefined when nobody waits for it. */
  finishSignIn(params: URLSearchParams): Promise<ServerInfo | undefined>;
  /** The last lines of a server's error output. */
  stderr(server: string): readonly string[];
  /** How many calls run and wait right now, by tool. */
  stats(): PermitStats;
  calls(filter?: CallFilter): Promise<readonly CallRecord[]>;
  /** A part of a result that was too big to hand out whole. */
  readResult(callId: string, offset?: number, length?: number): ResultPage | undefined;
  rules(): Promise<readonly RememberedRule[]>;
  revokeRule(id: string): Promise<boolean>;
  pins(): Promise<readonly Pin[]>;
  /** Accepts a changed definition; false when there is no change to accept. */
  acceptChange(tool: string | ToolId): Promise<boolean>;
  /** Returns the function that ends the subscription. */
  on<Name extends keyof ToolboxEvents>(name: Name, listener: (event: ToolboxEvents[Name]) => void): () => void;
  close(): Promise<void>;
}
