import { Command, Option } from 'commander';
import { version } from '../../kernel/version.ts';
import type { Run } from '../command-context.ts';
import { exitCodeHelp } from '../errors.ts';
import { nameExamples } from '../program-name.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { logLevels } from '../terminal/terminal-log.ts';
import { addAccessCommands } from './access-commands.ts';
import { addChatCommands } from './chat-commands.ts';
import { addGatewayOptions } from './command-actions.ts';
import { addDataCommands, addGatewayCommands, addServeCommand, addSetupCommands } from './gateway-commands.ts';
import { addServerCommands, addToolCommands } from './server-commands.ts';

/** The help command belongs to the last group, since it is listed last. */
const lastGroup = 'Data and help:';

/**
 * Creates the command line parser with every command and option. If the first argument is `serve`, the parser has no other command:
 * creating all of them would delay the start of the gateway.
 */
export function createProgram(
  terminal: Terminal,
  run: Run,
  command = () => 'toolwharf',
  [first]: readonly string[] = [],
): Command {
  const root = new Command('toolwharf')
    .description('Every tool an agent can use, from every MCP server, in one place.')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .addHelpCommand(new Command('help [command]').description('Show help for a command').helpGroup(lastGroup))
    .option('-c, --config <file>', 'Configuration file (default: toolwharf.{yaml,yml,json} in the working directory)')
    .option('--data-dir <directory>', 'Data directory (default: TOOLWHARF_DATA_DIR or the platform default)')
    .addOption(
      new Option('--log-level <level>', 'Lowest level of log messages on stderr').choices(logLevels).default('warning'),
    )
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20, subcommandTerm, visibleGlobalOptions })
    .configureOutput({
      writeOut: (text) => terminal.print(nameExamples(text, command)),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error:/, 'ERROR:')),
      getOutHelpWidth: () => terminal.width,
      getErrHelpWidth: () => terminal.width,
    })
    .showHelpAfterError('Run with --help to see usage.')
    .exitOverride()
    .addHelpText('after', `\n${exitCodeHelp}`);

  addServeCommand(root.commandsGroup('Gateway:'), run);
  if (first === 'serve') return root;
  addGatewayCommands(root, run);
  addToolCommands(root.commandsGroup('Tools:'), run);
  addServerCommands(root.commandsGroup('Servers:'), run);
  addChatCommands(root.commandsGroup('Chat:'), run);
  addAccessCommands(root.commandsGroup('Access control:'), run);
  addSetupCommands(root.commandsGroup('Setup and diagnostics:'), run);
  addDataCommands(root.commandsGroup(lastGroup), run);
  addGatewayOptions(root);
  return root;
}

/** The options of the parents that apply to a command. Those of a parent that prints a list apply to that list only. */
function visibleGlobalOptions({ parent }: Command): Option[] {
  if (!parent) return [];
  const isList = parent.parent !== null && parent.options.some(({ long }) => long === '--json');
  return [...(isList ? [] : parent.options.filter(({ hidden }) => !hidden)), ...visibleGlobalOptions(parent)];
}

/** A command in the list of commands, without `[options]`, which nearly all of them have. */
function subcommandTerm(command: Command): string {
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...names].join(' ');
}
