import type { ToolView } from '../../../contract/api/tools.ts';
import type { Pin, PinList } from '../../../contract/api-types.ts';
import type { DefinitionChange } from '../../../toolwharf/catalog/definition-diff.ts';
import { requireStored } from '../client/open-stored.ts';
import { requireGateway } from '../client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { ago, jsonText, oneLine } from '../terminal/format.ts';
import { printDone, printList, shortAddress } from '../terminal/print-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { changeLines } from '../terminal/terminal-approver.ts';

/** `toolwharf pins`: lists the accepted tool definitions. */
export async function listPins({ json }: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const pins: Pin[] = [];
  let after: string | undefined;
  do {
    const page: PinList = await gateway.listPins({ query: { after } });
    pins.push(...page.pins);
    after = page.next;
  } while (after !== undefined);
  pins.sort((one, other) => one.acceptedAt.localeCompare(other.acceptedAt) || one.tool.localeCompare(other.tool));
  printList(context.terminal, pins, {
    json,
    empty: 'No tool definitions have been accepted yet.',
    columns: {
      SERVER: ({ servers, serverAddress }) => servers.join(', ') || `removed (${shortAddress(serverAddress)})`,
      TOOL: ({ tool }) => tool,
      HASH: ({ hash }) => hash.slice(0, 12),
      ACCEPTED: ({ acceptedAt, isNew }) => (isNew ? 'waiting' : ago(acceptedAt)),
    },
  });
  return exitCodes.ok;
}

/** `toolwharf pins changes`: shows new tools, and how tool definitions differ from the accepted ones. */
export async function listChanges({ json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await requireGateway(context);
  const { tools } = await gateway.listTools({ query: { changed: 'true' } });
  if (json) terminal.print(jsonText(tools));
  else if (tools.length === 0) terminal.note('No tool has changed since it was accepted, and no new tool waits.');
  else {
    for (const tool of tools) printChange(tool, terminal);
    terminal.say(terminal.noteColors.dim('Accept a definition with `toolwharf pins accept TOOL`.'));
  }
  return exitCodes.ok;
}

/** `toolwharf pins accept`: shows what changed and accepts exactly that definition. */
export async function acceptChange(name: string, options: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await requireGateway(context);
  const path = { tool: name };
  const tool = await gateway.getTool({ path });
  if ((tool.changed || tool.isNew) && !options.json) printChange(tool, terminal);
  await gateway.acceptToolChange({ path, body: { definitionHash: tool.definitionHash } });
  const { definitionHash } = tool;
  printDone(terminal, options, `Accepted: ${oneLine(tool.name)}`, { tool: tool.name, definitionHash });
  return exitCodes.ok;
}

function printChange(tool: ToolView, terminal: Terminal): void {
  const { name, server, originalName, changed, isNew, changes = [], warnings = [] } = tool;
  const { colors } = terminal;
  const reaction = changed === 'quarantine' ? 'blocked until accepted' : 'asks for approval until accepted';
  const effect = isNew ? 'new, hidden until accepted' : reaction;
  const path = oneLine(`${server ?? 'local'}/${originalName}`);
  terminal.print(`${colors.cyan(oneLine(name))}  ${path}  ${colors.yellow(effect)}`);
  for (const change of changes as readonly DefinitionChange[]) terminal.print(changeLines(change, colors).join('\n'));
  for (const { rule, where, excerpt } of warnings)
    terminal.print(colors.yellow(`  suspicious: ${rule} at ${oneLine(where)}: ${oneLine(excerpt)}`));
}
