import { Command, Option } from 'commander';
import { version } from '../toolwharf/kernel/version.ts';
import type { Run } from './core/command-context.ts';
import { exitCodeHelp } from './core/errors.ts';
import { addAccessCommands } from './core/program/access-commands.ts';
import { addFeature, addGatewayOptions, groups } from './core/program/command-actions.ts';
import {
  addDataCommands,
  addGatewayCommands,
  addServeCommand,
  addSetupCommands,
} from './core/program/gateway-commands.ts';
import { addServerCommands } from './core/program/server-commands.ts';
import { addToolCommands } from './core/program/tool-commands.ts';
import { nameExamples } from './core/program-name.ts';
import type { Terminal } from './core/terminal/terminal.ts';
import { logLevels } from './core/terminal/terminal-log.ts';
import { commandFeatures } from './features/index.ts';

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
    .addHelpCommand(new Command('help [command]').description('Show help for a command').helpGroup(groups.data))
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

  addServeCommand(root.commandsGroup(groups.gateway), run);
  if (first === 'serve') return root;
  addGatewayCommands(root, run);
  addToolCommands(root.commandsGroup(groups.tools), run);
  addServerCommands(root.commandsGroup(groups.servers), run);
  addAccessCommands(root.commandsGroup(groups.access), run);
  addSetupCommands(root.commandsGroup(groups.setup), run, commandFeatures);
  addDataCommands(root.commandsGroup(groups.data), run);
  for (const feature of commandFeatures) addFeature(root, feature, run);
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
