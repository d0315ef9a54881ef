import { setTimeout as delay } from 'node:timers/promises';
import { takesCalls } from '../../contract/connections.ts';
import { ConnectionError, type ErrorCode, messageOf, ProtocolError, ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { ConfigSource } from '../config/config-source.ts';
import { backoffMs } from '../kernel/backoff.ts';
import { resolveLog } from '../kernel/log.ts';
import type { ToolDefinition, ToolResult } from '../kernel/tool.ts';
import { createToolbox, type Toolbox, type ToolboxOptions } from '../toolbox.ts';
import { type FlatParameter, type FlatTool, toFlatTools } from './shared/to-flat-tools.ts';

export type { FlatParameter, FlatTool };

/** A tool as its server defined it, with the server's name. */
export type AvailableTool = ToolDefinition & { readonly _server: string };

/** Servers by name, connected one by one. Unlike the toolbox, this API reports failures by throwing. */
export interface BridgeClient extends AsyncDisposable {
  readonly toolbox: Toolbox;
  /** False if the server is not configured or cannot be reached. */
  connect(server: string): Promise<boolean>;
  disconnect(server: string): Promise<void>;
  disconnectAll(): Promise<void>;
  /** Tools of connected servers, cached until the server is disconnected. */
  getAvailableTools(server?: string): AvailableTool[];
  callTool(server: string, tool: string, args?: JsonObject): Promise<ToolResult>;
}

/** The tools of all connected servers under `mcp_{server}_{tool}`, with flat parameter lists. */
export interface Bridge extends AsyncDisposable {
  readonly client: BridgeClient;
  getToolsForAgent(): FlatTool[];
  /** Finds the tool by its whole name. Throws `Invalid MCP tool name: …` and `Not connected to MCP server: …`. */
  invokeTool(name: string, args?: JsonObject): Promise<ToolResult>;
}

/**
 * Creates a client for the configured servers, or for the default servers. Connects none of them.
 *
 * @example
 * ```ts
 * import { createBridgeClient } from 'toolwharf/bridge';
 *
 * await using client = await createBridgeClient({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * console.log(await client.connect('everything'), await client.connect('unknown')); // true false
 * console.log((await client.callTool('everything', 'echo', { message: 'ahoy' })).text); // Echo: ahoy
 * ```
 */
export async function createBridgeClient(config?: ConfigSource, options: ToolboxOptions = {}): Promise<BridgeClient> {
  const log = resolveLog(options.log);
  const toolbox = await createToolbox(config, { ...options, log, connect: false });

  async function connect(server: string): Promise<boolean> {
    const { retryAttempts } = toolbox.config.servers.find(({ name }) => name === server) ?? {};
    if (retryAttempts === undefined) return false;
    try {
      await connectWithRetries(server, retryAttempts);
      return true;
    } catch (cause) {
      log.warning('server.skipped', `MCP server '${server}' is not available and skipped: ${messageOf(cause)}`, {
        server,
      });
      return false;
    }
  }

  async function connectWithRetries(server: string, retries: number): Promise<void> {
    for (let failures = 1; ; failures++) {
      try {
        return void (await toolbox.servers.connect(server));
      } catch (cause) {
        if (failures > retries) throw cause;
      }
      await delay(backoffMs(failures));
    }
  }

  return {
    toolbox,
    connect,
    async disconnect(server) {
      if (toolbox.servers.get(server)) await toolbox.servers.disconnect(server);
    },
    async disconnectAll() {
      await Promise.all(toolbox.servers.list().map(({ name }) => toolbox.servers.disconnect(name)));
    },
    getAvailableTools(server) {
      const tools = toolbox.tools.filter(
        (tool) => tool.server !== undefined && (server === undefined || tool.server === server),
      );
      return tools.flatMap((tool) => {
        const entry = toolbox.catalog.find(tool.name);
        return entry ? [{ ...entry.definition, _server: tool.server as string }] : [];
      });
    },
    async callTool(server, tool, args = {}) {
      const found = toolbox.tools.find((candidate) => candidate.server === server && candidate.originalName === tool);
      if (found) return orThrow(await toolbox.call(found.name, args));
      const state = toolbox.servers.get(server)?.status.state;
      if (!takesCalls(state)) throw notConnected(server);
      throw new ToolwharfError('NOT_FOUND', `Server '${server}' has no tool '${tool}'`, { data: { server, tool } });
    },
    [Symbol.asyncDispose]: () => toolbox.close(),
  };
}

/**
 * Connects the enabled servers in parallel and returns a bridge to those that can be reached.
 *
 * @example
 * ```ts
 * import { createBridge } from 'toolwharf/bridge';
 *
 * await using bridge = await createBridge({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * console.log(bridge.getToolsForAgent()[0]?.name); // mcp_everything_echo
 * console.log((await bridge.invokeTool('mcp_everything_echo', { message: 'ahoy' })).text); // Echo: ahoy
 * ```
 */
export async function createBridge(config?: ConfigSource, options: ToolboxOptions = {}): Promise<Bridge> {
  const client = await createBridgeClient(config, options);
  const enabled = client.toolbox.servers.list().filter((server) => server.enabled);
  await Promise.all(enabled.map(({ name }) => client.connect(name)));
  return {
    client,
    getToolsForAgent: () => toFlatTools(client.toolbox),
    async invokeTool(name, args = {}) {
      if (client.toolbox.tool(name)) return orThrow(await client.toolbox.call(name, args));
      const server = findDisconnectedServer(client.toolbox, name);
      if (server !== undefined) throw notConnected(server);
      throw new ToolwharfError('TOOL_NAME_INVALID', `Invalid MCP tool name: ${name}`, { data: { tool: name } });
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** The disconnected server that the tool may belong to. Its tools are unknown, so only the name's prefix identifies it. */
function findDisconnectedServer(toolbox: Toolbox, name: string): string | undefined {
  const disconnected = toolbox.servers.list().filter(({ status }) => !takesCalls(status.state));
  const matching = disconnected.filter((server) => name.startsWith(`mcp_${server.name}_`));
  return matching.sort((one, other) => other.name.length - one.name.length)[0]?.name;
}

function notConnected(server: string): ConnectionError {
  return new ConnectionError('SERVER_DISCONNECTED', `Not connected to MCP server: ${server}`, { data: { server } });
}

const connectionCodes = new Set([
  'SERVER_DISCONNECTED',
  'SERVER_UNREACHABLE',
  'OUTCOME_UNKNOWN',
  'OAUTH_REQUIRED',
  'OAUTH_FAILED',
]);
const protocolCodes = new Set(['SERVER_ERROR', 'SERVER_PROTOCOL']);

/** Throws if Toolwharf ended the call. A failure that the tool itself reports is a result. */
function orThrow(result: ToolResult): ToolResult {
  if (!result.failure) return result;
  const { code, message, data } = result.failure;
  const ErrorClass = connectionCodes.has(code)
    ? ConnectionError
    : protocolCodes.has(code)
      ? ProtocolError
      : ToolwharfError;
  throw new ErrorClass(code as ErrorCode, message, { data });
}
