import type { Message } from '@a2a-js/sdk';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { ProfileConfig } from '../../config/config.ts';
import type { Call } from '../../invocation/call.ts';
import { createFailedCall } from '../../invocation/failed-call.ts';
import type { InternalStartOptions } from '../../invocation/invoker.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Caller } from '../../kernel/tool.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { AppHosts } from '../calls/app-hosts.ts';
import type { View } from '../mcp/view.ts';
import type { Traces } from '../traces/traces.ts';

export interface StartPorts {
  readonly toolbox: Pick<InternalToolbox, 'start'>;
  readonly hosts: AppHosts;
  readonly traces: Traces;
}

/** The call that a message requests. */
export interface RequestedCall {
  /** The id of the task and its call. */
  readonly id: string;
  /** The name that the caller used. */
  readonly tool: string;
  /** Undefined if the tool does not exist or is hidden from this caller. */
  readonly entry: CatalogEntry | undefined;
  readonly arguments: unknown;
  readonly message: Message;
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  /** True for tools that the caller may use, also from within a chain. */
  readonly mayUse: View['hasTool'];
  readonly refreshPolicy: InternalStartOptions['refreshPolicy'];
  readonly callerLimits: InternalStartOptions['callerLimits'];
  /** The trace context of the caller. */
  readonly traceparent: string | undefined;
}

/** Starts the call that a message requests. The call fails at once if its tool does not exist. */
export function startTask(requested: RequestedCall, { toolbox, hosts, traces }: StartPorts): Call {
  const { id, tool, entry, message, caller, profile } = requested;
  if (!entry) {
    return createFailedCall(tool, 'TOOL_NAME_INVALID', `There is no skill '${tool}'`, { id, caller });
  }
  const about = { 'mcp.server': entry.server ?? 'local', 'mcp.tool': entry.originalName, 'toolwharf.call': id };
  const span = traces.start(`a2a ${entry.name}`, requested.traceparent, about);
  const meta: JsonObject | undefined = span.traceparent === undefined ? undefined : { traceparent: span.traceparent };
  const call = toolbox.start(entry, requested.arguments, {
    id,
    calledAs: tool,
    caller,
    host: hosts.create({ id, caller }),
    policy: { approval: profile.approval, mayUse: requested.mayUse },
    refreshPolicy: requested.refreshPolicy,
    profile: profile.name,
    callerLimits: requested.callerLimits,
    // The prefix separates message ids from idempotency keys that the same caller uses over other protocols.
    idempotencyKey: `a2a/${message.messageId}`,
    task: { contextId: message.contextId, messageId: message.messageId, skill: tool },
    meta,
  });
  void call.result.then(({ isError, failure }) => span.end({ isError, message: failure?.code }));
  return call;
}
