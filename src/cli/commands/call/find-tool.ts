import type { ToolView } from '../../../gateway/api/schemas/tools.ts';
import { closest } from '../../../kernel/closest.ts';
import { ConnectionError, ToolwharfError } from '../../../kernel/errors.ts';
import { isUnavailable, type KnownServer, whyUnavailable } from '../../backend/known-server.ts';

/**
 * Finds a tool by its name or by `server/tool`. Throws `SERVER_DISCONNECTED` for a tool of an unavailable server, else
 * `TOOL_NAME_INVALID` with a suggestion.
 */
export function findTool(name: string, tools: readonly ToolView[], servers: readonly KnownServer[]): ToolView {
  const found = tools.find((tool) => tool.name === name) ?? tools.find((tool) => pathOf(tool) === name);
  if (found) return found;
  const unavailable = servers.find(
    (server) => isUnavailable(server) && prefixesOf(server.name).some((prefix) => name.startsWith(prefix)),
  );
  if (unavailable) {
    const message = `Not connected to MCP server: ${unavailable.name} (${whyUnavailable(unavailable.status)})`;
    throw new ConnectionError('SERVER_DISCONNECTED', message, { data: { server: unavailable.name } });
  }
  const reason = servers.some(isUnavailable) ? ', unless its server is unavailable' : '';
  const hint = suggestion(name, tools) ?? `\`toolwharf tools\` lists all tools${reason}`;
  throw new ToolwharfError('TOOL_NAME_INVALID', `Invalid MCP tool name: ${name}; ${hint}`, { data: { tool: name } });
}

function suggestion(name: string, tools: readonly ToolView[]): string | undefined {
  const same = tools.filter((tool) => tool.originalName === name).map((tool) => tool.name);
  const near = closest(
    name,
    tools.flatMap((tool) => [tool.name, pathOf(tool), tool.originalName]),
  );
  const meant =
    near === undefined ? [] : tools.filter((tool) => [tool.name, pathOf(tool), tool.originalName].includes(near));
  const names = same.length > 0 ? same : meant.map((tool) => (near === pathOf(tool) ? near : tool.name));
  if (names.length === 0) return undefined;
  const quoted = names.slice(0, 5).map((candidate) => `'${candidate}'`);
  return `did you mean ${quoted.join(' or ')}?`;
}

function pathOf({ server, originalName }: ToolView): string {
  return server === undefined ? originalName : `${server}/${originalName}`;
}

function prefixesOf(server: string): string[] {
  return [`${server}/`, `mcp_${server}_`, `${server}__`];
}
