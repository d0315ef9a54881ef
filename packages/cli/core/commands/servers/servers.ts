import {
  isUnavailable,
  type KnownServer,
  paintState,
  stateOf,
  toolCount,
  whyUnavailable,
} from '../../client/known-server.ts';
import { openServers } from '../../client/open-tools.ts';
import type { CommandContext, JsonOption } from '../../command-context.ts';
import { exitCodes } from '../../errors.ts';
import { count, duration, jsonText, oneLine, pad, widthOf, wrap, wrapParts } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** `toolwharf servers`: shows the status of each server. */
export async function servers({ json }: JsonOption, context: CommandContext): Promise<number> {
  await using opened = await openServers(context, {
    tolerant: true,
    suppressLog: ({ event }) => shownInTable.has(event),
  });
  const { terminal } = context;
  if (json) terminal.print(jsonText(opened.servers));
  else if (opened.servers.length === 0) terminal.say(noServers);
  else printTable(opened.servers, terminal);
  return opened.servers.some((info) => info.required && isUnavailable(info)) ? exitCodes.unavailable : exitCodes.ok;
}

export const noServers =
  'No servers are configured. Add one with `toolwharf servers add NAME --url URL`, or find one with `toolwharf registry search`.';

const shownInTable = new Set(['server.skipped', 'connection.list-failed', 'connection.item-rejected']);

const titles = ['SERVER', 'STATE', 'TOOLS', 'TRANSPORT', 'ERA', 'CONNECTED IN'];

function printTable(infos: readonly KnownServer[], terminal: Terminal): void {
  const { colors, width } = terminal;
  const rows = infos.map((info) => ({ info, cells: cellsOf(info) }));
  const widths = titles.map((title, at) =>
    Math.max(...[title, ...rows.map(({ cells }) => cells[at] ?? '')].map(widthOf)),
  );
  const isWide = widths.reduce((sum, column) => sum + column + 2, -2) <= width;
  const padded = (cells: readonly string[]) => cells.map((cell, at) => pad(cell, widths[at] ?? 0));
  if (isWide) terminal.print(colors.dim(padded(titles).join('  ')));
  for (const { info, cells } of rows) {
    const [name = '', state = '', ...facts] = isWide ? padded(cells) : cells;
    const title = `${colors.bold(name)}  ${paintState(colors, info)(state)}`;
    if (isWide) terminal.print([title, ...facts].join('  ').trimEnd());
    else terminal.print([title, ...factLines(facts, width - 2)].join('\n  '));
    for (const part of reasonsOf(info).flatMap((reason) => wrap(terminal.name(reason), width - 2))) {
      terminal.print(`  ${colors.dim(part)}`);
    }
  }
}

/** The cells after the state, for a terminal too narrow for columns; a line never breaks within a cell. */
function factLines(cells: readonly string[], width: number): string[] {
  const [tools = '', transport = '', era = '', time = ''] = cells;
  const facts = [tools && `${tools} tools`, transport, era, time && `connected in ${time}`];
  return wrapParts(
    facts.filter((fact) => fact !== ''),
    width,
  );
}

function cellsOf(info: KnownServer): string[] {
  const { status } = info;
  const facts = [
    status.transport ?? info.transport,
    status.era,
    status.connectMs === undefined ? undefined : duration(status.connectMs),
  ];
  return [oneLine(info.name), stateOf(info), toolCount(info) ?? '', ...facts.map((fact) => fact ?? '')];
}

function reasonsOf(info: KnownServer): string[] {
  const { status, offers } = info;
  const why = isUnavailable(info) || status.state === 'degraded' ? [whyUnavailable(status)] : [];
  const rejected = offers.tools?.rejected.length ?? 0;
  return [...why, ...(rejected > 0 ? [`${count(rejected, 'unusable tool')}; \`toolwharf check\` lists them`] : [])];
}
