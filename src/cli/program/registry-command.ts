import type { Command } from 'commander';
import type { Run } from '../command.ts';
import { gather } from './gather.ts';

/** `registry`: finding servers that others have published, and adding them to the running gateway. */
export function addRegistryCommand(root: Command, run: Run): void {
  const registry = root
    .command('registry')
    .description('find MCP servers that others have published, and add them')
    .option('--registry <url>', 'another registry than the configured one');
  const load = () => import('../commands/registry.ts');
  // An option before the subcommand counts for it too.
  const merged = <Options extends object>(options: Options): Options => ({ ...registry.opts(), ...options });

  registry
    .command('search')
    .description('servers by words of their names')
    .argument('[words...]')
    .option('--limit <count>', 'how many; 30')
    .option('--json', 'print JSON')
    .action(async (words, options) =>
      run(async (context) => (await load()).searchRegistry(words, merged(options), context)),
    );
  registry
    .command('show')
    .description('how a server can be had, and what it wants to know')
    .argument('<name>')
    .option('--release <version>', 'another version than the newest')
    .option('--json', 'print JSON')
    .action(async (name, options) =>
      run(async (context) => (await load()).showRegistryServer(name, merged(options), context)),
    );
  registry
    .command('add')
    .description('have the running gateway keep a server of the registry and connect it')
    .argument('<name>')
    .option('--as <name>', 'what it is called here')
    .option('--way <number>', 'which of its ways, as `show` counts them')
    .option(
      '--set <key=value>',
      "what it wants to know; repeatable, and '${VAR}' keeps a secret off the command line",
      gather,
    )
    .option('--release <version>', 'another version than the newest')
    .option('--yes', 'add it without asking')
    .option('--json', 'print JSON')
    .action(async (name, options) =>
      run(async (context) => (await load()).addRegistryServer(name, merged(options), context)),
    );
}
