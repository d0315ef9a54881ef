import type { ToolView } from '../../gateway/api/schemas/tools.ts';
import { isUnavailable } from '../backend/known-server.ts';
import { openServerAt } from '../backend/open-server-at.ts';
import { openTools } from '../backend/open-tools.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { notFound } from '../find-item.ts';
import { programName } from '../program-name.ts';
import { count, jsonText, oneLine, pad, shorten, widthOf } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type HeaderOption, parseHeaders } from './servers/server-input.ts';

export interface ToolsOptions extends JsonOption, HeaderOption {
  readonly server?: string;
}

/** `toolwharf tools`: lists the tools of all servers, then local tools and chains; or those of the server at a URL. */
export async function tools(
  url: string | undefined,
  { server, json, header }: ToolsOptions,
  context: CommandContext,
): Promise<number> {
  await using opened =
    url === undefined
      ? await openTools(context, { validate: ({ servers }) => requireServer(server, servers) })
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
    groups.push({ name: 'local tools and chains', tools: opened.tools.filter((tool) => tool.server === undefined) });
  }
  opened.reportUnavailable(server);
  const found = groups.flatMap((group) => group.tools);
  if (json) terminal.print(jsonText(found));
  else printGroups(groups, terminal);
  const exposure = json || server !== undefined ? undefined : await opened.readExposure?.();
  if (exposure?.exposed === 'search') {
    const saved = `about ${exposure.listedTokens} tokens instead of ${exposure.estimatedTokens}`;
    terminal.note(terminal.noteColors.dim(`MCP clients list the tools for searching: ${saved}.`));
  }
  if (terminal.isPerson && !json && found.length > 0) {
    const command = [programName(context.env), 'call', url, 'NAME key=value'].filter(Boolean).join(' ');
    terminal.note(terminal.noteColors.dim(`Call a tool with \`${command}\`.`));
  }
  const hasFailed = listed.some(isUnavailable) && (server !== undefined || found.length === 0);
  return hasFailed ? exitCodes.unavailable : exitCodes.ok;
}

function requireServer(name: string | undefined, servers: readonly { readonly name: string }[]): void {
  const names = servers.map((server) => server.name);
  if (name !== undefined && !names.includes(name)) throw notFound('server', name, names);
}

interface Group {
  readonly name: string;
  readonly description?: string;
  readonly isStale?: boolean;
  readonly tools: readonly ToolView[];
}

// With less room than this, the description goes below the name.
const minDescriptionWidth = 24;

function printGroups(groups: readonly Group[], terminal: Terminal): void {
  const { colors, width } = terminal;
  const filled = groups.filter((group) => group.tools.length > 0);
  const nameWidth = Math.max(0, ...filled.flatMap((group) => group.tools.map(({ name }) => widthOf(oneLine(name)))));
  const room = width - nameWidth - 4;
  for (const [at, group] of filled.entries()) {
    const title = `${oneLine(group.name)}  `;
    const size = `${count(group.tools.length, 'tool')}${group.isStale ? ' (stale)' : ''}`;
    const about = group.description === undefined ? size : `${size}  ${oneLine(group.description)}`;
    const lines = [`${colors.bold(title)}${colors.dim(shorten(about, width - widthOf(title)))}`];
    for (const tool of group.tools) {
      const name = oneLine(tool.name);
      const description = oneLine(tool.description || tool.title || '');
      if (room >= minDescriptionWidth) {
        lines.push(`  ${colors.cyan(pad(name, nameWidth))}  ${shorten(description, room)}`.trimEnd());
      } else {
        lines.push(`  ${colors.cyan(name)}`);
        if (description) lines.push(`    ${shorten(description, width - 4)}`);
      }
    }
    terminal.print(`${at > 0 ? '\n' : ''}${lines.join('\n')}`);
  }
  if (filled.length === 0) terminal.note('No tools.');
}
