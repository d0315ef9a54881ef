import type { Config } from '../../config/config.ts';
import { closest } from '../../kernel/closest.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { Tool } from '../../kernel/tool.ts';
import type { ServerInfo } from '../../servers/server-info.ts';
import type { Toolbox } from '../../toolbox.ts';
import { isUnavailable, openToolbox } from '../backend/open-toolbox.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonText } from '../terminal/json-text.ts';
import { count, oneLine, pad, shorten, widthOf } from '../terminal/layout.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface ToolsOptions {
  readonly server?: string;
  readonly json?: boolean;
}

/** `toolwharf tools`: every tool of every server, and the chains. */
export async function tools({ server, json }: ToolsOptions, context: CommandContext): Promise<number> {
  const expect = ({ servers }: Config) => expectServer(server, servers);
  await using opened = await openToolbox(context, { expect });
  const { toolbox } = opened;
  const { terminal } = context;
  const chosen = opened.servers.filter((info) => server === undefined || info.name === server);
  const ofServers = chosen.map((info) => ({ info, tools: toolbox.tools.filter((tool) => tool.server === info.name) }));
  const chains = server === undefined ? toolbox.tools.filter((tool) => tool.server === undefined) : [];
  const shown: readonly Group[] = [...ofServers, { info: { name: 'chains', offers: {} }, tools: chains }];
  opened.tellUnavailable();
  if (json) terminal.print(jsonText(shown.flatMap((group) => group.tools.map((tool) => toJson(tool, toolbox)))));
  else printGroups(shown, terminal);
  return server !== undefined && chosen.some(isUnavailable) ? exitCodes.unavailable : exitCodes.ok;
}

function expectServer(name: string | undefined, servers: Config['servers']): void {
  const names = servers.map((spec) => spec.name);
  if (name === undefined || names.includes(name)) return;
  const meant = closest(name, names);
  const hint = meant ? `did you mean '${meant}'?` : `there are: ${names.join(', ') || 'none'}`;
  throw new ToolwharfError('NOT_FOUND', `There is no server '${name}'; ${hint}`, { data: { server: name } });
}

function toJson(tool: Tool, toolbox: Toolbox) {
  const entry = toolbox.entry(tool.name);
  const { name, server, originalName, title, description, parameters, outputSchema, annotations } = tool;
  return {
    name,
    server,
    originalName,
    title,
    description,
    parameters,
    outputSchema,
    annotations,
    definitionHash: entry?.definitionHash,
    limits: entry?.limits,
  };
}

interface Group {
  readonly info: Pick<ServerInfo, 'name' | 'description'> & {
    readonly offers: { readonly tools?: ServerInfo['offers']['tools'] };
  };
  readonly tools: readonly Tool[];
}

// Less room than this for a description says too little: it goes below the name.
const leastDescription = 24;

function printGroups(groups: readonly Group[], terminal: Terminal): void {
  const filled = groups.filter(({ tools: own }) => own.length > 0);
  const longest = Math.max(0, ...filled.flatMap(({ tools: own }) => own.map(({ name }) => widthOf(oneLine(name)))));
  const room = terminal.width - longest - 4;
  const { colors, width } = terminal;
  for (const [at, { info, tools: own }] of filled.entries()) {
    const title = `${oneLine(info.name)}  `;
    const about = [
      `${count(own.length, 'tool')}${info.offers.tools?.stale ? ' (stale)' : ''}`,
      ...(info.description === undefined ? [] : [oneLine(info.description)]),
    ].join('  ');
    const lines = [`${colors.bold(title)}${colors.dim(shorten(about, width - widthOf(title)))}`];
    for (const tool of own) {
      const name = oneLine(tool.name);
      const description = oneLine(tool.description || tool.title || '');
      if (room >= leastDescription)
        lines.push(`  ${colors.cyan(pad(name, longest))}  ${shorten(description, room)}`.trimEnd());
      else lines.push(`  ${colors.cyan(name)}`, ...(description ? [`    ${shorten(description, width - 4)}`] : []));
    }
    terminal.print(`${at > 0 ? '\n' : ''}${lines.join('\n')}`);
  }
  if (filled.length === 0) terminal.note('There are no tools.');
}
