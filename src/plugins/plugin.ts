import type { Transport } from '@modelcontextprotocol/client';
import type { LocalTool } from '../catalog/local-tool.ts';
import type { TransportContext } from '../connections/session.ts';
import type { CallRecord } from '../invocation/call-record.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { StandardSchema } from '../kernel/standard-schema.ts';
import type { ApprovalRequest, PluginApproval } from '../policy/approval.ts';
import type { Objection, ReviewedCall } from '../policy/review.ts';
import type { ToolboxEvents } from '../servers/toolbox-events.ts';

/** Passed to each function of a plugin. */
export interface PluginContext {
  /** Aborted when the answer is no longer needed, or comes too late. */
  readonly signal: AbortSignal;
}

/** Reviews each call before it runs. It can require approval or deny the call, and never allow more than the configuration. */
export type PluginPolicy = (
  call: ReviewedCall,
  context: PluginContext,
) => PolicyVerdict | undefined | Promise<PolicyVerdict | undefined>;

/** The objection of a policy: the call needs approval, or is denied. */
export type PolicyVerdict = Pick<Objection, 'kind' | 'reason'>;

/** Answers an approval, for this call only. Undefined leaves the approval to people and to other plugins. */
export type PluginApprover = (
  request: ApprovalRequest,
  context: PluginContext,
) => PluginApproval['answer'] | undefined | Promise<PluginApproval['answer'] | undefined>;

/** Receives ended calls and events in batches, one batch at a time. */
export type PluginExporter = (items: readonly ExportedItem[], context: PluginContext) => void | Promise<void>;

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

/** A transport that reaches MCP servers. */
export interface PluginTransport {
  /** Checks the `options` of a server: any Standard Schema (Zod, Valibot, ArkType, …). `open` receives the parsed value. */
  readonly options?: StandardSchema;
  /** Creates a transport of the MCP SDK for one session with a server, not started yet. */
  readonly open: (options: never, context: TransportContext) => Transport | Promise<Transport>;
}

/** Extends a toolbox or a gateway. Every part is optional. */
export interface Plugin {
  /** 1 to 60 characters of a-z, 0-9, `.`, `_` and `-`. In the journal it stands for the approver as `plugin:NAME`. */
  readonly name: string;
  readonly policy?: PluginPolicy;
  readonly approver?: PluginApprover;
  readonly exporter?: PluginExporter;
  /** Transports by the name that servers give as `transport`. */
  readonly transports?: Readonly<Record<string, PluginTransport>>;
  /** Local tools. */
  readonly tools?: readonly LocalTool[];
  /** Called when the toolbox closes, or the configuration no longer has the plugin. */
  readonly close?: () => void | Promise<void>;
}

/** Passed to a function that creates a plugin. */
export interface PluginSetup {
  readonly log: Log;
}

/** The default export of a plugin's module if it has options: creates the plugin, or throws if the options are invalid. */
export type CreatePlugin<Options = JsonObject> = (options: Options, setup: PluginSetup) => Plugin | Promise<Plugin>;

/**
 * Checks the type of a plugin. The module of a plugin exports one, or a function that creates one from its options, as default.
 *
 * @example
 * ```ts
 * import { createToolbox, definePlugin, localTool } from 'toolwharf';
 *
 * const readOnly = definePlugin({
 *   name: 'read-only',
 *   policy: ({ tool, annotations }) =>
 *     annotations?.readOnlyHint ? undefined : { kind: 'deny', reason: `${tool} may write` },
 * });
 * const remove = localTool({ name: 'remove', execute: () => 'removed' });
 * await using toolbox = await createToolbox({ servers: {} }, { tools: [remove], plugins: [readOnly] });
 * console.log((await toolbox.call('remove', {})).text); // MCP error: The call to remove was denied: remove may write
 * ```
 */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
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
