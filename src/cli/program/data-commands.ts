import type { Command } from 'commander';
import type { Run } from '../command-context.ts';
import { createActions, jsonOption } from './command-actions.ts';

const databaseOption = ['--database <url>', 'PostgreSQL database to use instead of the data directory'] as const;

/** Adds `audit` and `secrets`, which work on the data directory or database without a gateway. */
export function addDataCommands(root: Command, run: Run): void {
  const audit = createActions(run, () => import('../commands/audit.ts'));
  const secrets = createActions(run, () => import('../commands/secrets.ts'));
  const journal = root.command('audit').description('Verify and export the call journal');
  journal
    .command('verify')
    .description('Check that no journal entry was changed, removed or truncated')
    .option(...databaseOption)
    .option(...jsonOption)
    .action(audit((module) => module.auditVerify));
  journal
    .command('export')
    .description('Print the journal as JSON lines, oldest first')
    .option('--after <seq>', 'Start after the entry with this sequence number')
    .option('--limit <count>', 'Maximum number of entries')
    .option(...databaseOption)
    .action(audit((module) => module.auditExport));
  root
    .command('secrets')
    .description('Manage the encryption of stored secrets')
    .command('rotate')
    .description('Encrypt every stored secret with a new master key')
    .option(...databaseOption)
    .action(secrets((module) => module.rotateSecrets));
}
