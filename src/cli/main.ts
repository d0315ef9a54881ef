#!/usr/bin/env node
import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { version } from '../kernel/version.ts';
import type { CommandContext, CommonOptions } from './command.ts';
import { exitCodeHelp, exitCodes } from './exit-codes.ts';
import { createInterruption } from './interruption.ts';
import { reportError } from './report-error.ts';
import { createTerminal } from './terminal.ts';
import { logLevels } from './terminal-log.ts';

const callExamples = `Examples:
  toolwharf call mcp_filesystem_list_directory --arg path=/home/ada/notes
  toolwharf call filesystem/read_text_file --arg path=notes.txt --arg head=5 --json
  echo '{"path":"notes.txt"}' | toolwharf call filesystem/read_text_file --args -`;

// Each command is loaded when it runs: help and version need none of them.
const interruption = createInterruption((signal) => {
  if (signal === 'SIGINT') terminal.note('Cancelling; Ctrl-C again ends at once.');
  terminal.status('closing …');
});
const { stdin, stdout, stderr, env } = process;
const terminal = createTerminal({ stdin, stdout, stderr, env, onInterrupt: () => interruption.interrupt('SIGINT') });
const program = createProgram();
let exitCode: number = exitCodes.ok;
// Waiting for a server's next try must not look like having nothing left to do.
setInterval(() => {}, 60_000);

try {
  await program.parseAsync();
} catch (cause) {
  terminal.status();
  const { logLevel } = program.opts<CommonOptions>();
  if (cause instanceof CommanderError) exitCode = cause.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  else if (interruption.exitCode === undefined)
    exitCode = reportError(terminal, cause, { stack: logLevel === 'debug' });
}
await terminal.flush();
process.exit(interruption.exitCode ?? exitCode);

function createProgram(): Command {
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

  root
    .command('tools')
    .description('list the tools of all servers')
    .option('-s, --server <name>', 'only this server')
    .option('--json', 'print JSON')
    .action(async (options) => run(async (context) => (await import('./tools.ts')).tools(options, context)));

  root
    .command('call')
    .description('call a tool and print its result')
    .argument('<name>', 'its name as in `toolwharf tools`, or server/tool')
    .option('--args <json>', 'its arguments as a JSON object; - reads them from stdin')
    .option(
      '-a, --arg <name=value>',
      "one argument, typed by the tool's schema; name:=json for exact JSON; repeatable",
      gather,
    )
    .option('--timeout <duration>', "give up after this time, such as 30s; the tool's own limit holds besides")
    .option('--json', 'print the whole result as JSON')
    .addHelpText('after', `\n${callExamples}`)
    .action(async (name, options) => run(async (context) => (await import('./call.ts')).call(name, options, context)));

  root
    .command('servers')
    .description('show how each server is doing')
    .option('--json', 'print JSON')
    .action(async (options) => run(async (context) => (await import('./servers.ts')).servers(options, context)));

  root
    .command('check')
    .description('check the configuration, every server and every tool')
    .option('--json', 'print JSON')
    .action(async (options) => run(async (context) => (await import('./check.ts')).check(options, context)));

  root
    .command('import')
    .description('turn the MCP settings of Claude, Cursor, VS Code or Windsurf into a toolwharf.yaml')
    .argument('<file>', "the other program's file")
    .option('-w, --write [file]', 'write it to a file (toolwharf.yaml) instead of stdout')
    .option('--force', 'replace that file if it exists')
    .action(async (file, options) =>
      run(async (context) => (await import('./import.ts')).importFile(file, options, context)),
    );

  return root;
}

async function run(command: (context: CommandContext) => Promise<number>): Promise<void> {
  const options = program.opts<CommonOptions>();
  const { dataDir } = options;
  const variables = dataDir === undefined ? env : { ...env, TOOLWHARF_DATA_DIR: resolve(dataDir) };
  exitCode = await command({ terminal, options, env: variables, signal: interruption.signal });
}

function gather(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
