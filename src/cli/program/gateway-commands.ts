import { type Command, Option } from 'commander';
import { gatewayDefaults } from '../../config/defaults.ts';
import type { Run } from '../command-context.ts';
import { createActions } from './command-actions.ts';

/** Adds `serve`, `stdio` and `logs`. */
export function addGatewayCommands(root: Command, run: Run): void {
  const serve = createActions(run, () => import('../commands/serve/serve.ts'));
  const stdio = createActions(run, () => import('../commands/stdio.ts'));
  const logs = createActions(run, () => import('../commands/logs.ts'));
  root
    .command('serve')
    .description('Run the gateway: MCP endpoint, REST API and web app')
    .option('--host <address>', `Address to listen on (default: gateway.host, else ${gatewayDefaults.host})`)
    .option(
      '--port <number>',
      `Port to listen on, 0 for any free port (default: gateway.port, else ${gatewayDefaults.port})`,
    )
    .option('--database <url>', 'Store data in this PostgreSQL database instead of the data directory')
    .addOption(new Option('--log-format <format>', 'Format of stderr').choices(['text', 'json']).default('text'))
    .action(serve((module) => module.serve));
  root
    .command('stdio')
    .description('Serve MCP over stdin and stdout, for clients that start a command')
    .option('--profile <name>', 'Profile to serve', 'default')
    .action(stdio((module) => module.stdio));
  root
    .command('logs')
    .description("Print a local server's stderr output")
    .argument('<server>', 'Server name')
    .option('-f, --follow', 'Keep printing new lines')
    .action(logs((module) => module.logs));
}
