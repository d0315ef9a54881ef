import { Command, Option } from 'commander';
import { version } from '../../kernel/version.ts';
import type { Run } from '../command.ts';
import { exitCodeHelp } from '../exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { logLevels } from '../terminal/terminal-log.ts';
import { addCallingCommands } from './calling-commands.ts';
import { addChatCommands } from './chat-commands.ts';
import { addGatewayCommands } from './gateway-commands.ts';
import { addRegistryCommand } from './registry-command.ts';
import { addServersCommand } from './servers-command.ts';
import { addSetupCommands } from './setup-commands.ts';
import { addStoreCommands } from './store-commands.ts';

/** Every command with its options. Each one's code is loaded when it runs: help and version need none of it. */
export function createProgram(terminal: Terminal, run: Run): Command {
  const root = new Command('toolwharf')
    .description('Every tool an agent can use, from every MCP server, in one place.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .option('-c, --config <file>', 'configuration; otherwise toolwharf.{yaml,yml,json} here, else the default servers')
    .option('--data-dir <directory>', 'where Toolwharf keeps its data')
    .addOption(new Option('--log-level <level>', 'what to tell on stderr').choices(logLevels).default('warning'))
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error:/, 'ERROR:')),
      getOutHelpWidth: () => terminal.width,
      getErrHelpWidth: () => terminal.width,
    })
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride()
    .addHelpText('after', `\n${exitCodeHelp}`);

  addGatewayCommands(root, run);
  addChatCommands(root, run);
  addCallingCommands(root, run);
  addServersCommand(root, run);
  addRegistryCommand(root, run);
  addSetupCommands(root, run);
  addStoreCommands(root, run);
  return root;
}
