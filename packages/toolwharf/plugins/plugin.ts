import type { ChildProcess } from 'node:child_process';
import type { Transport } from '@modelcontextprotocol/client';
import type { DataFlow } from '../../contract/api/data-flows.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Permission } from '../../contract/rights.ts';
import type { Config } from '../../contract/settings/config.ts';
import type { PluginSection } from '../../contract/settings/native-schema.ts';
import type { PluginSettings } from '../../contract/settings/plugin-config.ts';
import type { SandboxConfig } from '../../contract/settings/sandbox-schema.ts';
import type { LocalTool, ScriptTool } from '../catalog/local-tool.ts';
import type { TransportContext } from '../connections/session.ts';
import type { LaunchedProgram } from '../connections/stdio/server-process.ts';
import type { CallRecord } from '../invocation/call-record.ts';
import type { Log } from '../kernel/log.ts';
import type { StandardSchema } from '../kernel/standard-schema.ts';
import type { Caller, ToolAnnotations } from '../kernel/tool.ts';
import type { ApprovalAnswer, ApprovalRequest, PluginApproval } from '../policy/approval.ts';
import type { CarriedContent, Detection } from '../policy/redaction.ts';
import type {
  DecidingRule,
  DispatchableCall,
  Objection,
  PluginCall,
  ReachedLimit,
  ReservationEnd,
  ReviewedCall,
  Trace,
} from '../policy/review.ts';
import type { ToolboxEvents } from '../servers/toolbox-events.ts';
import type { PluginRecord, Stored } from '../storage/ports/record-store.ts';

/** Passed to each hook of a plugin. */
export interface PluginContext<Settings = unknown> {
  /** Aborted when the answer is no longer needed, or comes too late. */
  readonly signal: AbortSignal;
  /** The options of the plugin, as its `settings` parse them. */
  readonly settings: Settings;
  /** The stored records of the plugin, by the kinds that its `records` declare. */
  readonly records: Readonly<Record<string, PluginRecords>>;
  /** Reads earlier calls of whoever makes a call. */
  readonly history: ReadHistory;
}

/**
 * The calls before a call that the same person made, or the same caller if nobody knows the person: those that may have run, since a time,
 * newest first. At most 1 000 of them.
 */
export type ReadHistory = (
  call: Pick<PluginCall, 'id' | 'caller'>,
  period: { readonly since?: Date; readonly until?: Date },
) => Promise<PastCalls>;

/** Earlier calls. */
export interface PastCalls {
  readonly calls: readonly PastCall[];
  /** There are more, which are older. */
  readonly isCut: boolean;
}

/** An earlier call. */
export interface PastCall extends Pick<PluginCall, 'server' | 'tool' | 'originalName'> {
  readonly at: Date;
  /** The arguments as the journal has them. */
  readonly arguments: () => Promise<JsonObject>;
}

type MaybePromise<Value> = Value | Promise<Value>;

/** The verdict of `review`. `allow` and undefined leave the decision as it is. */
export type ReviewVerdict = (
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask' | 'deny'; readonly reason: string; readonly limit?: ReachedLimit }
) & {
  readonly labels?: readonly string[];
  /** The rules of the plugin that decided, or would have decided. They are recorded with the call. */
  readonly rules?: readonly DecidingRule[];
  /** The data flows because of which the verdict is `ask`. The approval shows them, and can be answered with the scope `flow`. */
  readonly flows?: readonly DataFlow[];
};

/** The verdict of `reserve`: like that of `review`, with what `settle` charges or gives back when the call has ended. */
export type ReserveVerdict = ReviewVerdict & { readonly settle?: (end: ReservationEnd) => MaybePromise<void> };

/** The hooks of a plugin under one configuration. */
export type ConfiguredHooks = Pick<
  Plugin,
  'list' | 'change' | 'trace' | 'review' | 'allowFlow' | 'reserve' | 'launch' | 'result' | 'redactor'
>;

/** A problem with a value of the configuration. */
export interface ConfigProblem {
  /** Keys and indexes from the root of the configuration to the value. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The character of a text at which the problem is. */
  readonly offset?: number;
}

/** What `change` returns: the arguments to use instead. */
export interface ArgumentsChange {
  readonly arguments: JsonObject;
  readonly labels?: readonly string[];
}

/** The verdict of `result`. Undefined passes the result. */
export type ResultVerdict =
  | { readonly kind: 'pass'; readonly labels?: readonly string[] }
  | { readonly kind: 'change'; readonly result: JsonObject; readonly labels?: readonly string[] }
  | { readonly kind: 'block'; readonly reason: string; readonly labels?: readonly string[] };

/** What a redactor did with the content of a call. */
export interface Redaction {
  /** The texts of the content as they go on, one for each; without it, all stay. */
  readonly texts?: readonly string[];
  /** Why the content must not go on. */
  readonly blocked?: string;
  readonly detections: readonly Detection[];
}

/**
 * Redacts the content of calls: arguments before anybody sees them, and what servers send before it is recorded and returned. It gets
 * texts, so that everything else in the JSON passes unchanged.
 */
export interface PluginRedactor<Settings = unknown> {
  /** Redacts what a caller sends, and progress, log messages and states of tasks. Answers at once. Undefined passes the content. */
  redact(content: CarriedContent, context: Pick<PluginContext<Settings>, 'settings'>): Redaction | undefined;
  /** Redacts results, errors, and questions of servers, and what models get in a chat; `redact` does it if left out. */
  redactResult?(content: CarriedContent, context: PluginContext<Settings>): MaybePromise<Redaction | undefined>;
  /**
   * Replaces masks in the texts that are sent to a server by what they stand for. People and the journal see the masks. It cannot
   * block.
   */
  restore?(content: CarriedContent, context: PluginContext<Settings>): MaybePromise<Redaction | undefined>;
}

/** A tool that `list` shows or hides. */
export interface ListedTool {
  /** Undefined for a local tool. */
  readonly server?: string;
  /** The exposed name. */
  readonly name: string;
  readonly originalName: string;
  readonly title?: string;
  readonly description?: string;
  /** Claims of the server, unless it is trusted. */
  readonly annotations?: ToolAnnotations;
  readonly serverTrusted: boolean;
}

/** For whom tools are listed. */
export interface Viewer {
  /** The name of the profile; undefined in the library. */
  readonly profile?: string;
}

/** A server whose program `launch` wraps. */
export interface LaunchedServer {
  readonly name: string;
  /** Its settings; undefined if it has none. */
  readonly sandbox?: SandboxConfig;
  /** Asks people about something that the program wants while it runs a call. Undefined if it runs none. */
  readonly ask: (question: AccessQuestion, signal: AbortSignal) => Promise<AccessAnswer | undefined>;
}

/** What a program wants, beyond what it may do. */
export interface AccessQuestion {
  /** Such as a host. */
  readonly access: string;
  readonly reason: string;
}

/** The answer, and the call during which it was asked. */
export interface AccessAnswer {
  readonly callId: string;
  readonly tool: string;
  readonly answer: ApprovalAnswer;
}

/** A program as `launch` wraps it. */
export interface WrappedProgram extends LaunchedProgram {
  /** Called with each process that is started. It then has a channel of Node, which this function closes. */
  readonly started?: (process: ChildProcess) => void;
  /** Files that each process gets opened for reading, as descriptors from 4 on. */
  readonly files?: readonly string[];
}

/** A reference to a secret in the settings of a server: `${scheme:path}`. */
export interface SecretReference {
  readonly path: string;
  /** The name of the server. */
  readonly server: string;
}

/** An approval that waits, was answered, or has expired. */
export type PluginNotice =
  | { readonly type: 'approval.waiting'; readonly request: ApprovalRequest }
  | { readonly type: 'approval.answered'; readonly request: ApprovalRequest; readonly answer: ApprovalAnswer }
  | { readonly type: 'approval.expired'; readonly request: ApprovalRequest };

/** Answers an approval, for this call only. Undefined leaves the approval to people and to other plugins. */
export type PluginApprover = (
  request: ApprovalRequest,
  context: PluginContext,
) => MaybePromise<PluginApproval['answer'] | undefined>;

/** Receives ended calls and events in batches, one batch at a time. */
export type PluginExporter = (items: readonly ExportedItem[], context: PluginContext) => void | Promise<void>;

/** An exporter that needs no arguments and results: it costs little, also where results are large. */
export interface PluginSummaryExporter {
  readonly content: false;
  /** Receives the records of calls without `arguments` and `result`, and no events. */
  readonly export: (calls: readonly CallSummary[], context: PluginContext) => void | Promise<void>;
}

/** The record of an ended call without its content. */
export type CallSummary = Readonly<
  Pick<
    CallRecord,
    | 'id'
    | 'kind'
    | 'server'
    | 'tool'
    | 'originalName'
    | 'caller'
    | 'status'
    | 'end'
    | 'createdAt'
    | 'startedAt'
    | 'completedAt'
  >
>;

/** A call that has ended, as in the journal, or an event of the toolbox. */
export type ExportedItem = { readonly type: 'call'; readonly call: CallRecord } | ExportedEvent;

/** An event of the toolbox that exporters receive. */
export type ExportedEvent = {
  [Name in ExportedEventName]: {
    readonly type: 'event';
    readonly name: Name;
    readonly at: string;
    readonly data: Name extends 'config.refused' ? { readonly message: string } : ToolboxEvents[Name];
  };
}[ExportedEventName];

/** Ended calls are items of their own; messages of servers could displace all other events. */
export type ExportedEventName = Exclude<keyof ToolboxEvents, 'call.changed' | 'server.notified'>;

/** A tool of a plugin: a function of the program, or a script. */
export type PluginTool = LocalTool | ScriptTool;

/** Tools that change while they are used. Other tools of the same name win. */
export interface PluginTools {
  /** The tools at this moment. */
  list(): readonly PluginTool[];
  /** Called once. `changed` lists the tools again, and resolves when the toolbox has them. */
  subscribe(changed: () => Promise<void>): void;
}

/** A transport that reaches MCP servers. */
export interface PluginTransport {
  /** Checks the `options` of a server: any Standard Schema (Zod, Valibot, ArkType, …). `open` receives the parsed value. */
  readonly options?: StandardSchema;
  /** Creates a transport of the MCP SDK for one session with a server, not started yet. */
  readonly open: (options: never, context: TransportContext) => Transport | Promise<Transport>;
}

/** A kind of record that a plugin stores. */
export interface PluginRecordKind {
  /** Checks a record before it is stored: any Standard Schema. */
  readonly schema?: StandardSchema;
  /** Encrypts the records with the key of the gateway; false. */
  readonly isSealed?: boolean;
}

/** The stored records of one kind. In a gateway, all replicas share them. */
export interface PluginRecords<Item extends PluginRecord = PluginRecord> {
  /** All records, sorted by id. */
  list(): Promise<readonly Stored<Item>[]>;
  get(id: string): Promise<Stored<Item> | undefined>;
  /**
   * Adds or replaces a record. With a revision, only if the record still has it, or for 0 if there is none with its id; undefined if
   * it has changed meanwhile. Rejects a record that the schema rejects.
   */
  put(item: Item, revision?: number): Promise<Stored<Item> | undefined>;
  /** False if there is none with this id, or it does not have the revision. */
  remove(id: string, revision?: number): Promise<boolean>;
}

/** A request of a route, as its schemas parse it. */
export interface PluginRequest {
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  /** Who asks. */
  readonly caller: Caller;
}

/** A route of a gateway's REST API, under `/api/plugins/NAME`. */
export interface PluginRoute<Settings = unknown> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Begins with a slash; parameters are in braces: `/reports/{id}`. */
  readonly path: string;
  /** The permission that the caller needs; `plugins.manage`. */
  readonly right?: Permission;
  /** One line for the OpenAPI document. */
  readonly summary?: string;
  /** Checks the query: any Standard Schema. Without it, `query` is the map of its texts. */
  readonly query?: StandardSchema;
  /** Checks the JSON body: any Standard Schema. Without it, a body is not read. */
  readonly body?: StandardSchema;
  /** Answers with JSON, or with an empty object. A thrown `ToolwharfError` becomes the answer with its code. */
  handle(request: PluginRequest, context: PluginContext<Settings>): MaybePromise<JsonObject | undefined>;
}

/** The policy of the first version of plugins. */
export type PluginPolicy = (
  call: ReviewedCall,
  context: PluginContext,
) => PolicyVerdict | undefined | Promise<PolicyVerdict | undefined>;

/** The objection of a policy: the call needs approval, or is denied. */
export type PolicyVerdict = Pick<Objection, 'kind' | 'reason'>;

/** Extends a toolbox or a gateway. Every part is optional. Hooks get copies, and have a time limit. */
export interface Plugin<Settings = unknown> {
  /** 1 to 60 characters of a-z, 0-9, `.`, `_` and `-`. In the journal it stands for the approver as `plugin:NAME`. */
  readonly name: string;
  /** Checks the options: any Standard Schema. Hooks get the parsed value as `context.settings`. */
  readonly settings?: StandardSchema<Settings>;
  /** Local tools and scripts: a list, a function of the configuration, or tools that change while they are used. */
  readonly tools?: readonly PluginTool[] | ((config: Config) => MaybePromise<readonly PluginTool[]>) | PluginTools;
  /** Transports by the name that servers give as `transport`. */
  readonly transports?: Readonly<Record<string, PluginTransport>>;
  /** Resolves `${scheme:path}` in the settings of servers before each session, by scheme. */
  readonly secrets?: Readonly<
    Record<string, (reference: SecretReference, context: PluginContext<Settings>) => MaybePromise<string>>
  >;
  /** Whether a viewer sees a tool and may call it. Answers at once, and is asked once for each definition and profile. */
  list?(tool: ListedTool, viewer: Viewer, context: Pick<PluginContext<Settings>, 'settings'>): boolean;
  /** The section of the configuration that the plugin applies. A configuration with a section that no plugin applies is refused. */
  readonly section?: PluginSection;
  /**
   * Prepares the plugin for a configuration before it is used: returns the hooks that it has under it, in place of its own. With a
   * reported problem, the configuration is refused and nothing changes.
   */
  configure?(config: Config, report: (problem: ConfigProblem) => void): MaybePromise<ConfiguredHooks>;
  /**
   * Called once, when the plugin is in use, for hooks that depend on more than the configuration. `changed` runs `configure` again, and
   * resolves when calls use the hooks that it returned. It rejects, and nothing changes, if a problem was reported.
   */
  subscribe?(changed: () => Promise<void>): void;
  /** Changes the arguments of a call before they are validated, decided and recorded. */
  change?(call: PluginCall, context: PluginContext<Settings>): MaybePromise<ArgumentsChange | undefined>;
  /** Finds the earlier calls from whose results the arguments come, and the labels of the conversation, before the call is reviewed. */
  trace?(call: PluginCall, context: PluginContext<Settings>): MaybePromise<Trace | undefined>;
  /** Reviews each call before it runs. It can require approval or deny the call, and never allow more than the configuration. */
  review?(call: ReviewedCall, context: PluginContext<Settings>): MaybePromise<ReviewVerdict | undefined>;
  /** Stores that a person allowed the data flows of an approval with the scope `flow`. The call waits for it. */
  allowFlow?(request: ApprovalRequest, context: PluginContext<Settings>): void | Promise<void>;
  /**
   * Reserves what a call consumes, once, immediately before it is dispatched. It can require approval or deny the call, and then has
   * reserved nothing. If `context.signal` is aborted, its verdict comes too late.
   */
  reserve?(call: DispatchableCall, context: PluginContext<Settings>): MaybePromise<ReserveVerdict | undefined>;
  /** Wraps the program of a server before it is started. Undefined leaves it as it is. */
  launch?(
    program: LaunchedProgram,
    server: LaunchedServer,
    context: PluginContext<Settings>,
  ): MaybePromise<WrappedProgram | undefined>;
  /** Whether `result` gets the result of a call, which may say that the tool failed; that of each call without it. Answers at once. */
  needsResult?(call: PluginCall, isError: boolean): boolean;
  /** Passes, changes or blocks a result before it is recorded and returned. */
  result?(
    call: PluginCall,
    result: JsonObject,
    context: PluginContext<Settings>,
  ): MaybePromise<ResultVerdict | undefined>;
  readonly redactor?: PluginRedactor<Settings>;
  readonly approver?: PluginApprover;
  /** Is told of approvals. Calls do not wait for it. */
  notify?(notice: PluginNotice, context: PluginContext<Settings>): void | Promise<void>;
  readonly exporter?: PluginExporter | PluginSummaryExporter;
  /** Records that the gateway stores for the plugin, by kind. In the library they end with the process. */
  readonly records?: Readonly<Record<string, PluginRecordKind>>;
  /** Routes of a gateway's REST API. The library has none. */
  readonly routes?: readonly PluginRoute<Settings>[];
  /** Called when the toolbox closes, or the configuration no longer has the plugin. */
  readonly close?: () => void | Promise<void>;
  /** @deprecated The name of `review` in the first version of plugins, which still works. */
  readonly policy?: PluginPolicy;
}

/** A plugin of a program, with its settings. */
export interface PluginUse extends PluginSettings {
  readonly plugin: Plugin;
}

/** Passed to a function that creates a plugin. */
export interface PluginSetup {
  readonly log: Log;
}

/** The default export of a plugin's module if it needs its options to be created: creates the plugin, or throws if they are invalid. */
export type CreatePlugin<Options = JsonObject> = (options: Options, setup: PluginSetup) => Plugin | Promise<Plugin>;

/**
 * Infers the type of a plugin's settings. The module of a plugin exports one, or a function that creates one from its options, as
 * default.
 *
 * @example
 * ```ts
 * import { createToolbox, definePlugin, localTool } from 'toolwharf';
 *
 * const readOnly = definePlugin({
 *   name: 'read-only',
 *   review: ({ tool, annotations }) =>
 *     annotations?.readOnlyHint ? undefined : { kind: 'deny', reason: `${tool} may write` },
 * });
 * const remove = localTool({ name: 'remove', execute: () => 'removed' });
 * await using toolbox = await createToolbox({ servers: {} }, { tools: [remove], plugins: [readOnly] });
 * console.log((await toolbox.call('remove', {})).text); // MCP error: The call to remove was denied: remove may write
 * ```
 */
export function definePlugin<Settings = unknown>(plugin: Plugin<Settings>): Plugin {
  return plugin as Plugin;
}

/**
 * Infers the options of a transport from their schema.
 *
 * @example
 * ```ts
 * import { definePlugin, pluginTransport } from 'toolwharf';
 * import { InMemoryTransport } from '@modelcontextprotocol/client';
 * import * as z from 'zod';
 *
 * const memory = definePlugin({
 *   name: 'memory',
 *   transports: {
 *     memory: pluginTransport({ options: z.object({ name: z.string() }), open: () => InMemoryTransport.createLinkedPair()[0] }),
 *   },
 * });
 * console.log(Object.keys(memory.transports ?? {})); // [ 'memory' ]
 * ```
 */
export function pluginTransport<Options = JsonObject>(transport: {
  readonly options?: StandardSchema<Options>;
  readonly open: (options: Options, context: TransportContext) => Transport | Promise<Transport>;
}): PluginTransport {
  return transport as unknown as PluginTransport;
}
