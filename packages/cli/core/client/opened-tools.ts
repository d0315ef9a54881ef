import type { ToolView } from '../../../contract/api/tools.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { LogEntry } from '../../../toolwharf/kernel/log.ts';
import type { CallOptions, CallOutcome } from './call-tool.ts';
import type { GatewayClient } from './gateway-client.ts';
import type { KnownServer } from './known-server.ts';

/** Servers and their tools. */
export interface OpenedTools extends AsyncDisposable {
  readonly servers: readonly KnownServer[];
  readonly tools: readonly ToolView[];
  readonly config: ConfigSummary;
  /** The gateway that runs for them; undefined if they are in this process. */
  readonly running?: GatewayClient;
  /** Every warning and error of the startup; empty for a running gateway, which has its own log. */
  readonly warnings: readonly LogEntry[];
  /** Lists unavailable servers on stderr, or the given one, unless the log has reported them. */
  reportUnavailable(server?: string): void;
  /** Calls a tool. At a terminal, prompts for approvals and for questions of the server. A failed call is a result. */
  call(tool: ToolView, args: JsonObject, options: CallOptions): Promise<CallOutcome>;
}

/** The same with all that a gateway offers. */
export interface OpenedServers extends OpenedTools {
  readonly gateway: GatewayClient;
}

export interface ConfigSummary {
  /** The configuration file; undefined for the default servers. */
  readonly file?: string;
  readonly dialect: string;
  /** Why a changed file is not in use. */
  readonly refused?: string;
  /** The warnings of the gateway's configuration. A gateway in this process logs its own, except variables that are not set. */
  readonly warnings?: readonly string[];
  /** The plugins in use. */
  readonly plugins?: Awaited<ReturnType<GatewayClient['getConfig']>>['plugins'];
  /** True if the gateway does not show its configuration, because the caller is not an administrator. */
  readonly isHidden?: boolean;
}

/** Names the configuration file for people. */
export function describeConfig({ file, isHidden }: ConfigSummary): string {
  if (isHidden) return 'not shown: only administrators see the configuration of the gateway';
  return file ?? 'none; using the default servers';
}

/** The servers with the number of their tools that can be called. */
export function countTools(
  servers: readonly Omit<KnownServer, 'usableTools'>[],
  tools: readonly ToolView[],
): readonly KnownServer[] {
  return servers.map((server) => {
    return { ...server, usableTools: tools.filter((tool) => tool.server === server.name).length };
  });
}
