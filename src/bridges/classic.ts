import type { ConfigSource } from '../config/config-source.ts';
import { ConnectionError, type ErrorCode, ProtocolError, ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ToolDefinition, ToolResult } from '../kernel/tool.ts';
import { createToolbox, type Toolbox, type ToolboxOptions } from '../toolbox.ts';
import { type FlatParameter, type FlatTool, toFlatTools } from './shared/to-flat-tools.ts';

export type { FlatParameter, FlatTool };

/** A tool as its server defined it, with the server's name. */
export type AvailableTool = ToolDefinition & { readonly _server: string };

/** Servers by name, connected one by one. Unlike the toolbox it throws: errors are what this small API speaks in. */
export interface BridgeClient extends AsyncDisposable {
  readonly toolbox: Toolbox;
  /** False for a name that is not configured and for a server that can't be reached. */
  connect(server: string): Promise<boolean>;
  disconnect(server: string): Promise<void>;
  disconnectAll(): Promise<void>;
  /** Tools of connected servers; what a server offers is remembered until it is disconnected. */
  getAvailableTools(server?: string): AvailableTool[];
  callTool(server: string, tool: string, args?: JsonObject): Promise<ToolResult>;
}

/** The tools of all connected servers under `mcp_{server}_{tool}`, with flat parameter lists. */
export interface Bridge extends AsyncDisposable {
  readonly client: BridgeClient;
  getToolsForAgent(): FlatTool[];
  /** Routes by look-up. Throws `Invalid MCP tool name: …` and `Not connected to MCP server: …`. */
  invokeTool(name: string, args?: JsonObject): Promise<ToolResult>;
}

/** A client over the configured servers, or over the default ones; nothing is connected yet. */
export async function createBridgeClient(config?: ConfigSource, options: ToolboxOptions = {}): Promise<BridgeClient> {
  const toolbox = await createToolbox(config, { ...options, connect: false });

  async function connect(server: string): Promise<boolean> {
    if (!toolbox.servers.get(server)) return false;
    return toolbox.servers.connect(server).then(
      () => true,
      () => false,
    );
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
      if (state !== 'connected' && state !== 'degraded') throw notConnected(server);
      throw new ToolwharfError('NOT_FOUND', `Server '${server}' has no tool '${tool}'`, { data: { server, tool } });
    },
    [Symbol.asyncDispose]: () => toolbox.close(),
  };
}

/** Connects the enabled servers, side by side, and gives the bridge over those that could be reached. */
export async function createBridge(config?: ConfigSource, options: ToolboxOptions = {}): Promise<Bridge> {
  const client = await createBridgeClient(config, options);
  const enabled = client.toolbox.servers.list().filter((server) => server.enabled);
  await Promise.all(enabled.map(({ name }) => client.connect(name)));
  return {
    client,
    getToolsForAgent: () => toFlatTools(client.toolbox),
    async invokeTool(name, args = {}) {
      if (client.toolbox.tool(name)) return orThrow(await client.toolbox.call(name, args));
      const server = serverMeant(client.toolbox, name);
      if (server !== undefined) throw notConnected(server);
      throw new ToolwharfError('TOOL_NAME_INVALID', `Invalid MCP tool name: ${name}`, { data: { tool: name } });
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** The server that is away and whose tool this may be: its tools are unknown, so the name's beginning is all there is. */
function serverMeant(toolbox: Toolbox, name: string): string | undefined {
  const away = toolbox.servers
    .list()
    .filter(({ status }) => status.state !== 'connected' && status.state !== 'degraded');
  const meant = away.filter((server) => name.startsWith(`mcp_${server.name}_`));
  return meant.sort((one, other) => other.name.length - one.name.length)[0]?.name;
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

/** What Toolwharf ended is thrown; what the tool itself reports, a failure too, is its result. */
function orThrow(result: ToolResult): ToolResult {
  if (!result.failure) return result;
  const { code, message, data } = result.failure;
  const Kind = connectionCodes.has(code) ? ConnectionError : protocolCodes.has(code) ? ProtocolError : ToolwharfError;
  throw new Kind(code as ErrorCode, message, { ...(data && { data }) });
}
