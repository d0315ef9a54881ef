import type { DefinitionChange } from '../../catalog/definition-diff.ts';
import type { Pin } from '../../catalog/pins.ts';
import type { ToolView } from '../../gateway/api/schemas/tools.ts';
import { openGatewayClient } from '../backend/gateway-client.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { ago } from '../terminal/ago.ts';
import { changeLines } from '../terminal/describe-approval.ts';
import { jsonText } from '../terminal/json-text.ts';
import { oneLine } from '../terminal/layout.ts';
import { printTable } from '../terminal/print-table.ts';
import { shortAddress } from '../terminal/short-address.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** `toolwharf pins`: the accepted definition of every tool. */
export async function listPins({ json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await openGatewayClient(context);
  const { pins } = await gateway.get<{ readonly pins: readonly Pin[] }>('/api/pins');
  if (json) terminal.print(jsonText(pins));
  else if (pins.length === 0) terminal.note('No definition was accepted yet.');
  else {
    const rows = pins.map((pin) => [
      pin.tool,
      pin.hash.slice(0, 12),
      ago(pin.acceptedAt),
      shortAddress(pin.serverAddress),
    ]);
    printTable(terminal, ['TOOL', 'HASH', 'ACCEPTED', 'SERVER ADDRESS'], rows);
  }
  return exitCodes.ok;
}

/** `toolwharf pins changes`: tools whose definition is not the accepted one, and what differs. */
export async function listChanges({ json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await openGatewayClient(context);
  const { tools } = await gateway.get<{ readonly tools: readonly ToolView[] }>('/api/tools?changed=true');
  if (json) terminal.print(jsonText(tools));
  else if (tools.length === 0) terminal.note('Every tool is as it was accepted.');
  else {
    for (const tool of tools) printChange(tool, terminal);
    terminal.note(terminal.noteColors.dim('`toolwharf pins accept TOOL` accepts one as it is now.'));
  }
  return exitCodes.ok;
}

/** `toolwharf pins accept`: shows what changed, and accepts exactly that. */
export async function acceptChange(name: string, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await openGatewayClient(context);
  const path = `/api/tools/${encodeURIComponent(name)}`;
  const tool = await gateway.get<ToolView>(path);
  if (tool.changed) printChange(tool, terminal);
  await gateway.post(`${path}/accept`, { definitionHash: tool.definitionHash });
  terminal.print(`Accepted: ${oneLine(tool.name)}`);
  return exitCodes.ok;
}

function printChange({ name, server, originalName, changed, changes = [] }: ToolView, terminal: Terminal): void {
  const { colors } = terminal;
  const effect = changed === 'quarantine' ? 'does not run until it is accepted' : 'asks before it runs';
  terminal.print(
    `${colors.cyan(oneLine(name))}  ${oneLine(`${server ?? 'local'}/${originalName}`)}  ${colors.yellow(effect)}`,
  );
  for (const change of changes as readonly DefinitionChange[]) terminal.print(changeLines(change, colors).join('\n'));
}
