import type { ToolView } from '../../../contract/api/tools.ts';
import { createToolIndex } from '../../../toolwharf/features/search/tool-index.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { isUnavailable } from '../client/known-server.ts';
import { isUrl, openServerAt, openTools } from '../client/open-tools.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { notFound } from '../find-item.ts';
import { count, jsonText, oneLine, pad, shorten, widthOf } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type HeaderOption, parseHeaders } from './servers/server-input.ts';
import { noServers } from './servers/servers.ts';

export interface ToolsOptions extends JsonOption, HeaderOption {
  readonly server?: string;
}

/**
 * `toolwharf tools`: lists the tools of all servers, then local tools and chains; or those of the server at a URL. With words, it
 * lists the tools that match them, best first.
 */
export async function tools(
  given: readonly string[],
  { server, json, header }: ToolsOptions,
  context: CommandContext,
): Promise<number> {
  const url = given.find(isUrl);
  const query = given.filter((word) => word !== url).join(' ');
  await using opened =
    url === undefined
      ? await openTools(context, {
          validate: ({ servers }) => requireServer(server, servers),
          needs: () => (server === undefined ? [] : [server]),
        })
      : await openServerAt(url, parseHeaders(header, context.env), context);
  const { terminal } = context;
  requireServer(server, opened.servers);
  const listed = opened.servers.filter((info) => server === undefined || info.name === server);
  const groups: Group[] = listed.map(({ name, description, offers }) => ({
    name,
    description,
    isStale: offers.tools?.stale,
    tools: opened.tools.filter((tool) => tool.server === name),
  }));
  if (server === undefined) {
    groups.push({
      name: 'local tools and chains',
      isLocal: true,
      tools: opened.tools.filter((tool) => tool.server === undefined),
    });
  }
  opened.reportUnavailable(server);
  const all = groups.flatMap((group) => group.tools);
  const found = query === '' ? all : searchTools(query, groups);
  if (json) terminal.print(jsonText(found));
  else if (query === '') printGroups(groups, terminal);
  else if (found.length === 0) terminal.say(`No tool matches '${oneLine(query)}'.`);
  else printTools(found, terminal);
  const isWholeList = !json && server === undefined && query === '';
  const exposure = isWholeList && opened.running && (await readExposure(opened.running));
  if (exposure && exposure.exposed !== 'all') {
    const saved = `about ${exposure.listedTokens} tokens instead of ${exposure.estimatedTokens}`;
    const purpose = exposure.exposed === 'code' ? 'running scripts' : 'searching';
    terminal.say(terminal.noteColors.dim(`MCP clients list the tools for ${purpose}: ${saved}.`));
  }
  if (terminal.isPerson && !json && found.length > 0) {
    const command = [context.command, 'call', url, 'NAME key=value'].filter(Boolean).join(' ');
    terminal.say(terminal.noteColors.dim(`Call a tool with \`${command}\`.`));
  }
  const hasFailed = listed.some(isUnavailable) && (server !== undefined || all.length === 0);
  return hasFailed ? exitCodes.unavailable : exitCodes.ok;
}

/** How MCP clients of the caller's profile list the tools. */
async function readExposure(gateway: GatewayClient) {
  const { profiles } = await gateway.listProfiles();
  // Administrators see all profiles, others their own.
  const own = profiles.find(({ name }) => name === 'default') ?? profiles[0];
  return own && (await gateway.getProfile({ path: { profile: own.name } })).exposure;
}

function requireServer(name: string | undefined, servers: readonly { readonly name: string }[]): void {
  const names = servers.map((server) => server.name);
  if (name !== undefined && !names.includes(name)) throw notFound('server', name, names);
}

interface Group {
  readonly name: string;
  readonly description?: string;
  readonly isStale?: boolean;
  readonly isLocal?: boolean;
  readonly tools: readonly ToolView[];
}

// With less room than this, the description goes below the name.
const minDescriptionWidth = 24;

/** The tools that match the words, best first, then those whose name contains the text. */
function searchTools(query: string, groups: readonly Group[]): readonly ToolView[] {
  const index = createToolIndex();
  const tools = new Map<string, ToolView>();
  for (const { description: serverText, tools: listed } of groups) {
    for (const tool of listed) {
      tools.set(tool.name, tool);
      index.set({ ...tool, id: tool.name, name: tool.originalName, serverText });
    }
  }
  const text = query.toLowerCase();
  const ranked = index.search(query, { limit: maxFound }).map(({ id }) => id);
  const named = [...tools.keys()].filter((name) => name.toLowerCase().includes(text));
  const names = [...new Set([...ranked, ...named])].slice(0, maxFound);
  return names.map((name) => tools.get(name)).filter((tool) => tool !== undefined);
}

const maxFound = 30;

function printGroups(groups: readonly Group[], terminal: Terminal): void {
  const { colors, width } = terminal;
  const filled = groups.filter((group) => group.tools.length > 0);
  const nameWidth = nameWidthOf(filled.flatMap((group) => group.tools));
  for (const [at, group] of filled.entries()) {
    const title = `${oneLine(group.name)}  `;
    const size = `${count(group.tools.length, 'tool')}${group.isStale ? ' (stale)' : ''}`;
    const about = group.description === undefined ? size : `${size}  ${oneLine(group.description)}`;
    terminal.print(`${at > 0 ? '\n' : ''}${colors.bold(title)}${colors.dim(shorten(about, width - widthOf(title)))}`);
    printTools(group.tools, terminal, nameWidth);
  }
  if (filled.length > 0) return;
  const hasServers = groups.some(({ isLocal }) => !isLocal);
  terminal.say(hasServers ? 'No tools. `toolwharf servers` shows the state of each server.' : noServers);
}

function nameWidthOf(tools: readonly ToolView[]): number {
  return Math.max(0, ...tools.map(({ name }) => widthOf(oneLine(name))));
}

function printTools(tools: readonly ToolView[], terminal: Terminal, nameWidth = nameWidthOf(tools)): void {
  const { colors, width } = terminal;
  const room = width - nameWidth - 4;
  const lines: string[] = [];
  for (const tool of tools) {
    const name = oneLine(tool.name);
    const description = oneLine(tool.description || tool.title || '');
    if (room >= minDescriptionWidth) {
      lines.push(`  ${colors.cyan(pad(name, nameWidth))}  ${shorten(description, room)}`.trimEnd());
    } else {
      lines.push(`  ${colors.cyan(name)}`);
      if (description) lines.push(`    ${shorten(description, width - 4)}`);
    }
  }
  terminal.print(lines.join('\n'));
}
