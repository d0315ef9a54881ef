import type { ServerInfo } from '../servers/server-info.ts';
import type { CommandContext } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { duration, oneLine, pad, widthOf, wrap } from './layout.ts';
import { isUnavailable, openToolbox, whyUnavailable } from './open-toolbox.ts';
import { paintState, stateOf } from './server-state.ts';
import type { Terminal } from './terminal.ts';

export interface ServersOptions {
  readonly json?: boolean;
}

/** `toolwharf servers`: how each server is doing. */
export async function servers({ json }: ServersOptions, context: CommandContext): Promise<number> {
  const tells = (event: string) => inTable.has(event);
  await using opened = await openToolbox(context, { keepStarting: true, tells });
  const { terminal } = context;
  if (json) terminal.print(JSON.stringify(opened.servers, null, 2));
  else if (opened.servers.length === 0) terminal.note('There are no servers.');
  else printTable(opened.servers, terminal);
  return opened.servers.some((info) => info.required && isUnavailable(info)) ? exitCodes.unavailable : exitCodes.ok;
}

const inTable = new Set(['server.skipped', 'connection.list-failed', 'connection.item-rejected']);

function printTable(infos: readonly ServerInfo[], terminal: Terminal): void {
  const { colors, width } = terminal;
  const head = ['SERVER', 'STATE', 'TOOLS', 'TRANSPORT', 'ERA', 'CONNECTED IN'];
  const rows = infos.map(cellsOf);
  const widths = head.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column] ?? '')].map(widthOf)),
  );
  const line = (cells: readonly string[], paint = (text: string, _column: number) => text) =>
    cells
      .map((cell, column) => paint(pad(cell, widths[column] ?? 0), column))
      .join('  ')
      .trimEnd();
  const needed = widths.reduce((sum, column) => sum + column + 2, -2);
  const isNarrow = needed > width;
  if (!isNarrow) terminal.print(colors.dim(line(head)));
  for (const [at, info] of infos.entries()) {
    const cells = rows[at] ?? [];
    const paint = (text: string, column: number) => {
      if (column === 0) return colors.bold(text);
      return column === 1 ? paintState(colors, info)(text) : text;
    };
    if (isNarrow) {
      const facts = cells
        .slice(2)
        .map((cell, column) => (cell ? factOf(cell, column) : ''))
        .filter(Boolean);
      terminal.print(`${colors.bold(cells[0] ?? '')}  ${paintState(colors, info)(cells[1] ?? '')}`);
      for (const part of wrap(facts.join(' · '), width - 2)) if (part) terminal.print(`  ${part}`);
    } else terminal.print(line(cells, paint));
    for (const part of reasonsOf(info).flatMap((reason) => wrap(reason, width - 2)))
      terminal.print(`  ${colors.dim(part)}`);
  }
}

function cellsOf(info: ServerInfo): string[] {
  const { status, offers } = info;
  const tools = offers.tools && `${offers.tools.count}${offers.tools.stale ? ' (stale)' : ''}`;
  const facts = [
    status.transport ?? info.transport,
    status.era,
    status.connectMs === undefined ? undefined : duration(status.connectMs),
  ];
  return [oneLine(info.name), stateOf(info), tools ?? '', ...facts.map((fact) => fact ?? '')];
}

function factOf(cell: string, column: number): string {
  return [`${cell} tools`, cell, cell, `connected in ${cell}`][column] ?? cell;
}

function reasonsOf(info: ServerInfo): string[] {
  const { status, offers } = info;
  const why = isUnavailable(info) || status.state === 'degraded' ? [whyUnavailable(status)] : [];
  const left = offers.tools?.rejected.length ?? 0;
  return [...why, ...(left > 0 ? [`${left} of its tools left out; \`toolwharf check\` says why`] : [])];
}
