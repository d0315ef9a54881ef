import { type Command, Option } from 'commander';
import type { Run } from '../command-context.ts';
import { createActions, jsonOption } from './command-actions.ts';

/** Adds `connect`, `import`, `check` and `doctor`. */
export function addSetupCommands(root: Command, run: Run): void {
  const connect = createActions(run, () => import('../commands/connect/connect.ts'));
  const importing = createActions(run, () => import('../commands/import.ts'));
  const check = createActions(run, () => import('../commands/check.ts'));
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
    .action(connect((module) => module.connect));
  root
    .command('import')
    .description('Convert the MCP settings of Claude, Cursor, VS Code or Windsurf to a toolwharf.yaml')
    .argument('<file>', 'Settings file of the other client')
    .option('-w, --write [file]', 'Write to a file (toolwharf.yaml) instead of stdout')
    .option('--force', 'Overwrite an existing file')
    .action(importing((module) => module.importFile));
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
}
