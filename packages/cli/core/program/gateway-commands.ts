import { Argument, type Command, Option } from 'commander';
import { gatewayDefaults } from '../../../contract/settings/defaults.ts';
import { clientIds } from '../../../gateway/core/clients/mcp-clients.ts';
import type { CommandContext, Run } from '../command-context.ts';
import {
  addCommand,
  type CommandFeature,
  type CommandParts,
  choice,
  commandsOf,
  json,
  repeatable,
} from './command-actions.ts';

/** Adds `serve`. */
export function addServeCommand(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('../commands/serve/serve.ts'));
  const { host, port } = gatewayDefaults;
  add(root, 'serve', 'Run the gateway: MCP endpoint, REST API and web app', 'serve', {
    options: [
      ['--host <address>', `Address to listen on (default: gateway.host, else ${host})`],
      ['--port <number>', `Port to listen on, 0 for any free port (default: gateway.port, else ${port})`],
      ['--database <url>', 'Store data in this PostgreSQL database instead of the data directory'],
      new Option('--exit-when-idle', 'Exit when no client has been connected for a minute').hideHelp(),
      choice('--log-format <format>', 'Format of stderr', ['text', 'json']).default('text'),
    ],
    withoutGateway: true,
  });
}

/** Adds `stdio`, `logs` and `events`. */
export function addGatewayCommands(root: Command, run: Run): void {
  const stdio = commandsOf(run, () => import('../commands/stdio/stdio.ts'));
  const events = commandsOf(run, () => import('../commands/events.ts'));
  const logs = commandsOf(run, () => import('../commands/logs.ts'));
  stdio(root, 'stdio', 'Connect an MCP client that starts a command to the gateway; starts one if none runs', 'stdio', {
    options: [new Option('--profile <name>', 'Profile to serve').default('default')],
  });
  logs(root, 'logs', "Print a local server's stderr output", 'logs', {
    args: [['<server>', 'Server name']],
    options: [
      ['-f, --follow', 'Keep printing new lines'],
      ['--json', 'Print JSON lines'],
    ],
    gatewayOnly: true,
  });
  const names = 'Only events of this name or group, such as call or server.changed (repeatable)';
  events(root, 'events', "Print the gateway's events as they happen", 'events', {
    options: [repeatable('-e, --event <name>', names), ['--json', 'Print JSON lines']],
    gatewayOnly: true,
  });
}

const completionExamples = `Examples:
  toolwharf completion bash > ~/.local/share/bash-completion/completions/toolwharf
  toolwharf completion zsh > "\${fpath[1]}/_toolwharf"
  toolwharf completion fish > ~/.config/fish/completions/toolwharf.fish`;

/** Adds `connect`, `import`, `emit-ts`, `check`, `doctor` and `completion`. */
export function addSetupCommands(root: Command, run: Run, features: readonly CommandFeature[]): void {
  const connect = commandsOf(run, () => import('../commands/connect/connect.ts'));
  const importing = commandsOf(run, () => import('../commands/import.ts'));
  const emit = commandsOf(run, () => import('../commands/emit-ts/emit-ts.ts'));
  const check = commandsOf(run, () => import('../commands/check.ts'));
  const completion = commandsOf(run, () => import('../commands/completion.ts'));
  const doctor = commandsOf(run, async () => {
    const { createDoctor } = await import('../commands/doctor/doctor.ts');
    return createDoctor(await Promise.all(features.flatMap(({ check }) => (check ? [check()] : []))));
  });
  const scopes = ['user', 'project'];
  connect(root, 'connect', 'Add Toolwharf to the configuration of an MCP client', 'connect', {
    args: [['<client>', `${clientIds.join(', ')}; with --managed also copilot`]],
    options: [
      ['--dry-run', 'Print the change without making it'],
      choice('--scope <scope>', 'Configure the user or the project in the working directory', scopes).default('user'),
      new Option('--profile <name>', 'Profile that the client uses').default('default'),
      ['--stdio', 'Make the client start `toolwharf stdio` instead of using the gateway'],
      ['--file <path>', "Configuration file to edit instead of the client's own"],
      [
        '--managed',
        'Write the settings with which an organisation lets claude-code, vscode or copilot reach only the gateway',
      ],
      ['--output <folder>', 'Folder for the files of --managed (toolwharf-managed)'],
      json,
    ],
  });
  const convert = 'Convert the settings of another MCP client or gateway to a toolwharf.yaml';
  importing(root, 'import', convert, 'importSettings', {
    args: [['[file...]', 'Settings file, or a command line of supergateway or mcp-proxy after --']],
    options: [
      ['--discover', 'Import the servers of all MCP clients of this user and project'],
      ['-w, --write [file]', 'Write to a file (toolwharf.yaml) instead of stdout'],
      ['--force', 'Overwrite an existing file'],
      ['--json', 'Print JSON instead of YAML'],
    ],
    withoutGateway: true,
  });
  emit(root, 'emit-ts', 'Generate a TypeScript module with a typed function for each tool', 'emitTs', {
    options: [
      ['-s, --server <name>', 'Only the tools of this server'],
      repeatable('-t, --tool <name>', 'Only this tool, by its name or as server/tool (repeatable)'),
      ['-o, --output <file>', 'Write to a file instead of stdout'],
    ],
  });
  check(root, 'check', 'Check the configuration, every server and every tool', 'check', { options: [json] });
  doctor(root, 'doctor', 'Diagnose this installation and suggest fixes', 'doctor', { options: [json] });
  completion(root, 'completion', 'Print the script that enables completion in a shell', 'completion', {
    args: [new Argument('<shell>', 'Shell').choices(['bash', 'zsh', 'fish'])],
    help: completionExamples,
    withoutGateway: true,
  });
  const candidates: CommandParts = { args: [['[words...]', 'Words of the command line']], withoutGateway: true };
  addCommand(root, 'complete', 'Print candidates for the last word', { ...candidates, isHidden: true }).action(
    (words) =>
      run(async (context: CommandContext) => {
        const { complete } = await import('../commands/completion.ts');
        return complete(root, words as readonly string[], context);
      }),
  );
}

const databaseOption = ['--database <url>', 'PostgreSQL database to use instead of the data directory'] as const;

/** Adds `audit`, `backup`, `restore` and `secrets`. */
export function addDataCommands(root: Command, run: Run): void {
  const audit = commandsOf(run, () => import('../commands/audit.ts'));
  const secret = commandsOf(run, () => import('../commands/secrets.ts'));
  const journal = addCommand(root, 'audit', 'Verify and export the call journal');
  audit(journal, 'verify', 'Check that no journal entry was changed, removed or truncated', 'auditVerify', {
    options: [
      ['--anchor <file>', 'Signed checkpoints to compare the journal, rules, keys and approvals with'],
      ['--key <file>', 'Audit key in PEM format, private or public (default: audit.key in the data directory)'],
      databaseOption,
      json,
    ],
  });
  audit(journal, 'export', 'Print the journal as JSON lines, oldest first', 'auditExport', {
    options: [
      ['--after <seq>', 'Start after the entry with this sequence number'],
      ['--limit <count>', 'Maximum number of entries'],
      ['--json', 'Print JSON lines (the default)'],
      databaseOption,
    ],
  });
  const data = commandsOf(run, () => import('../commands/backup.ts'));
  data(root, 'backup', 'Copy the data of the gateway, which may be running, and verify the copy', 'backup', {
    args: [['<dir>', 'New folder for the backup']],
    options: [['--no-keys', 'Leave out the master key and the audit key'], json],
    withoutGateway: true,
  });
  data(root, 'restore', 'Put a backup in the place of the data of a stopped gateway', 'restore', {
    args: [['<dir>', 'Folder of the backup']],
    options: [['--replace', 'Move the present data aside'], json],
    withoutGateway: true,
  });
  const secrets = addCommand(root, 'secrets', 'Manage the encryption of stored secrets', { withoutGateway: true });
  const discard = 'Remove the secrets that a lost master key sealed, so that the gateway starts with a new key';
  secret(secrets, 'discard', discard, 'discardStoredSecrets', {
    options: [['--yes', 'Discard them without confirmation'], databaseOption, json],
  });
  secret(secrets, 'rotate', 'Encrypt every stored secret with a new master key', 'rotateSecrets', {
    options: [databaseOption, json],
  });
}
