import { closest } from '../../../kernel/closest.ts';
import { ConnectionError, ToolwharfError } from '../../../kernel/errors.ts';
import type { Tool } from '../../../kernel/tool.ts';
import type { ServerInfo } from '../../../servers/server-info.ts';
import { isUnavailable, whyUnavailable } from '../../backend/open-toolbox.ts';

/**
 * The tool of that name, or of that `server/tool`. An unknown name is `TOOL_NAME_INVALID` with what was likely meant; a tool of
 * a server that is not there, `SERVER_DISCONNECTED`.
 */
export function findTool(name: string, tools: readonly Tool[], servers: readonly ServerInfo[]): Tool {
  const found = tools.find((tool) => tool.name === name) ?? tools.find((tool) => pathOf(tool) === name);
  if (found) return found;
  const away = servers.find(
    (server) => isUnavailable(server) && prefixesOf(server.name).some((prefix) => name.startsWith(prefix)),
  );
  if (away) {
    const message = `Not connected to MCP server: ${away.name} (${whyUnavailable(away.status)})`;
    throw new ConnectionError('SERVER_DISCONNECTED', message, { data: { server: away.name } });
  }
  const known = servers.some(isUnavailable) ? ', or its server is not available' : '';
  const hint = suggestion(name, tools) ?? `\`toolwharf tools\` lists what there is${known}`;
  throw new ToolwharfError('TOOL_NAME_INVALID', `Invalid MCP tool name: ${name}; ${hint}`, { data: { tool: name } });
}

function suggestion(name: string, tools: readonly Tool[]): string | undefined {
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

function pathOf({ server, originalName }: Tool): string {
  return server === undefined ? originalName : `${server}/${originalName}`;
}

function prefixesOf(server: string): string[] {
  return [`${server}/`, `mcp_${server}_`, `${server}__`];
}
