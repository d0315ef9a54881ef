import { Argument, type Command, Option } from 'commander';
import { gatewayDefaults } from '../../config/defaults.ts';
import type { CommandContext, Run } from '../command-context.ts';
import { collect, createActions, jsonOption } from './command-actions.ts';

/** Adds `serve`. */
export function addServeCommand(root: Command, run: Run): void {
  const serve = createActions(run, () => import('../commands/serve/serve.ts'));
  root
    .command('serve')
    .description('Run the gateway: MCP endpoint, REST API and web app')
    .option('--host <address>', `Address to listen on (default: gateway.host, else ${gatewayDefaults.host})`)
    .option(
      '--port <number>',
      `Port to listen on, 0 for any free port (default: gateway.port, else ${gatewayDefaults.port})`,
    )
    .option('--database <url>', 'Store data in this PostgreSQL database instead of the data directory')
    .addOption(new Option('--exit-when-idle', 'Exit when no client has been connected for a minute').hideHelp())
    .addOption(new Option('--log-format <format>', 'Format of stderr').choices(['text', 'json']).default('text'))
    .action(serve((module) => module.serve));
}

/** Adds `stdio`, `logs`, `inspect`, `events` and `fleet`. */
export function addGatewayCommands(root: Command, run: Run): void {
  const stdio = createActions(run, () => import('../commands/stdio/stdio.ts'));
  const events = createActions(run, () => import('../commands/events.ts'));
  const inspect = createActions(run, () => import('../commands/inspect.ts'));
  const fleet = createActions(run, () => import('../commands/fleet.ts'));
  const logs = createActions(run, () => import('../commands/logs.ts'));
  root
    .command('stdio')
    .description('Connect an MCP client that starts a command to the gateway; starts one if none runs')
    .option('--profile <name>', 'Profile to serve', 'default')
    .action(stdio((module) => module.stdio));
  root
    .command('logs')
    .description("Print a local server's stderr output")
    .argument('<server>', 'Server name')
    .option('-f, --follow', 'Keep printing new lines')
    .option('--json', 'Print JSON lines')
    .action(logs((module) => module.logs));
  root
    .command('inspect')
    .description('Print the messages between the gateway and a server as they are sent')
    .argument('<server>', 'Server name')
    .addOption(
      new Option('-t, --topic <topic>', 'Only messages of this topic').choices([
        'request',
        'question',
        'log',
        'progress',
        'notification',
      ]),
    )
    .option('-m, --method <text>', 'Only messages whose method contains this text')
    .option('--errors', 'Only errors and messages that were not delivered')
    .option('--json', 'Print JSON lines')
    .action(inspect((module) => module.inspect));
  root
    .command('events')
    .description("Print the gateway's events as they happen")
    .option(
      '-e, --event <name>',
      'Only events of this name or group, such as call or server.changed (repeatable)',
      collect,
    )
    .option('--json', 'Print JSON lines')
    .action(events((module) => module.events));
  root
    .command('fleet')
    .description('List the replicas that share the database')
    .option(...jsonOption)
    .action(fleet((module) => module.fleet));
}

const completionExamples = `Examples:
  toolwharf completion bash > ~/.local/share/bash-completion/completions/toolwharf
  toolwharf completion zsh > "\${fpath[1]}/_toolwharf"
  toolwharf completion fish > ~/.config/fish/completions/toolwharf.fish`;

/** Adds `connect`, `import`, `emit-ts`, `check`, `doctor` and `completion`. */
export function addSetupCommands(root: Command, run: Run): void {
  const connect = createActions(run, () => import('../commands/connect/connect.ts'));
  const importing = createActions(run, () => import('../commands/import.ts'));
  const emit = createActions(run, () => import('../commands/emit-ts/emit-ts.ts'));
  const check = createActions(run, () => import('../commands/check.ts'));
  const completion = createActions(run, () => import('../commands/completion.ts'));
  const doctor = createActions(run, () => import('../commands/doctor/doctor.ts'));
  root
    .command('connect')
    .description('Add Toolwharf to the configuration of an MCP client')
    .argument('<client>', 'claude-code, claude-desktop, cursor, vscode or windsurf')
    .option('--dry-run', 'Print the change without making it')
    .addOption(
      new Option('--scope <scope>', 'Configure the user or the project in the working directory')
        .choices(['user', 'project'])
        .default('user'),
    )
    .option('--profile <name>', 'Profile that the client uses', 'default')
    .option('--stdio', 'Make the client start `toolwharf stdio` instead of using the gateway')
    .option('--file <path>', "Configuration file to edit instead of the client's own")
    .option(...jsonOption)
    .action(connect((module) => module.connect));
  root
    .command('import')
    .description('Convert the settings of another MCP client or gateway to a toolwharf.yaml')
    .argument('<file...>', 'Settings file, or a command line of supergateway or mcp-proxy after --')
    .option('-w, --write [file]', 'Write to a file (toolwharf.yaml) instead of stdout')
    .option('--force', 'Overwrite an existing file')
    .option('--json', 'Print JSON instead of YAML')
    .action(importing((module) => module.importSettings));
  root
    .command('emit-ts')
    .description('Generate a TypeScript module with a typed function for each tool')
    .option('-s, --server <name>', 'Only the tools of this server')
    .option('-t, --tool <name>', 'Only this tool, by its name or as server/tool (repeatable)', collect)
    .option('-o, --output <file>', 'Write to a file instead of stdout')
    .action(emit((module) => module.emitTs));
  root
    .command('check')
    .description('Check the configuration, every server and every tool')
    .option(...jsonOption)
    .action(check((module) => module.check));
  root
    .command('doctor')
    .description('Diagnose this installation and suggest fixes')
    .option(...jsonOption)
    .action(doctor((module) => module.doctor));
  root
    .command('completion')
    .description('Print the script that enables completion in a shell')
    .addArgument(new Argument('<shell>', 'Shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', `\n${completionExamples}`)
    .action(completion((module) => module.completion));
  root
    .command('complete', { hidden: true })
    .description('Print candidates for the last word')
    .argument('[words...]', 'Words of the command line')
    .action(
      completion((module) => (words: readonly string[], _options: object, context: CommandContext) => {
        return module.complete(root, words, context);
      }),
    );
}

const databaseOption = ['--database <url>', 'PostgreSQL database to use instead of the data directory'] as const;

/** Adds `audit` and `secrets`. */
export function addDataCommands(root: Command, run: Run): void {
  const audit = createActions(run, () => import('../commands/audit.ts'));
  const secrets = createActions(run, () => import('../commands/secrets.ts'));
  const journal = root.command('audit').description('Verify and export the call journal');
  journal
    .command('verify')
    .description('Check that no journal entry was changed, removed or truncated')
    .option('--anchor <file>', 'Signed checkpoints to compare the journal, rules, keys and approvals with')
    .option('--key <file>', 'Audit key in PEM format, private or public (default: audit.key in the data directory)')
    .option(...databaseOption)
    .option(...jsonOption)
    .action(audit((module) => module.auditVerify));
  journal
    .command('export')
    .description('Print the journal as JSON lines, oldest first')
    .option('--after <seq>', 'Start after the entry with this sequence number')
    .option('--limit <count>', 'Maximum number of entries')
    .option('--json', 'Print JSON lines (the default)')
    .option(...databaseOption)
    .action(audit((module) => module.auditExport));
  root
    .command('secrets')
    .description('Manage the encryption of stored secrets')
    .command('rotate')
    .description('Encrypt every stored secret with a new master key')
    .option(...databaseOption)
    .option(...jsonOption)
    .action(secrets((module) => module.rotateSecrets));
}
