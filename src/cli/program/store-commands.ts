import type { Command } from 'commander';
import type { Run } from '../command.ts';

const database = ['--database <url>', 'a PostgreSQL database instead of the data directory'] as const;

/** The commands that work on the store without a gateway: `audit`, `secrets`. */
export function addStoreCommands(root: Command, run: Run): void {
  const audit = root.command('audit').description('prove and hand on the journal of calls');
  audit
    .command('verify')
    .description('check that nothing in the journal was changed, removed or torn')
    .option(...database)
    .option('--json', 'print JSON')
    .action(async (options) =>
      run(async (context) => (await import('../commands/audit.ts')).auditVerify(options, context)),
    );
  audit
    .command('export')
    .description('print the journal as JSON lines, oldest first')
    .option('--after <seq>', 'go on after the entry with this number')
    .option('--limit <count>', 'at most so many entries')
    .option(...database)
    .action(async (options) =>
      run(async (context) => (await import('../commands/audit.ts')).auditExport(options, context)),
    );

  root
    .command('secrets')
    .description('the key that secrets are sealed with')
    .command('rotate')
    .description('seal every secret with a new master key')
    .option(...database)
    .action(async (options) =>
      run(async (context) => (await import('../commands/secrets.ts')).rotateSecrets(options, context)),
    );
}
