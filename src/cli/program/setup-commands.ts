import { type Command, Option } from 'commander';
import type { Run } from '../command.ts';

/** The commands that look after the set-up: `check`, `doctor`, `connect`, `import`. */
export function addSetupCommands(root: Command, run: Run): void {
  root
    .command('check')
    .description('check the configuration, every server and every tool')
    .option('--json', 'print JSON')
    .action(async (options) => run(async (context) => (await import('../commands/check.ts')).check(options, context)));

  root
    .command('doctor')
    .description('look at everything that must be right on this machine, and say what to do')
    .option('--json', 'print JSON')
    .action(async (options) =>
      run(async (context) => (await import('../commands/doctor/doctor.ts')).doctor(options, context)),
    );

  root
    .command('connect')
    .description('write Toolwharf into the configuration of an MCP client')
    .argument('<client>', 'claude-code, claude-desktop, cursor, vscode or windsurf')
    .option('--dry-run', 'print the difference and change nothing')
    .addOption(
      new Option('--scope <scope>', 'for all your work, or for the project here')
        .choices(['user', 'project'])
        .default('user'),
    )
    .option('--profile <name>', 'the profile it gets', 'default')
    .option('--stdio', 'let it start `toolwharf stdio` instead of using the gateway')
    .option('--file <path>', "another file than the client's own")
    .action(async (client, options) =>
      run(async (context) => (await import('../commands/connect/connect.ts')).connect(client, options, context)),
    );

  root
    .command('import')
    .description('turn the MCP settings of Claude, Cursor, VS Code or Windsurf into a toolwharf.yaml')
    .argument('<file>', "the other program's file")
    .option('-w, --write [file]', 'write it to a file (toolwharf.yaml) instead of stdout')
    .option('--force', 'replace that file if it exists')
    .action(async (file, options) =>
      run(async (context) => (await import('../commands/import.ts')).importFile(file, options, context)),
    );
}
