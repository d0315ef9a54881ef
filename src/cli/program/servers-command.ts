import { type Command, Option } from 'commander';
import { onChangeActions, protocolChoices, toolModes, urlTransports } from '../../config/config.ts';
import type { Run } from '../command.ts';
import { gather } from './gather.ts';

const secretNote = `A value that is '\${VAR}' or '\${file:/path}' is replaced by what it stands for, so that a secret need not stand on
the command line:
  toolwharf servers add crm --url https://crm.example.com/mcp --bearer '\${CRM_TOKEN}'
  toolwharf servers add files --command npx -- -y @modelcontextprotocol/server-filesystem /home/ada/notes`;

/** `servers`, and what changes the running gateway's. */
export function addServersCommand(root: Command, run: Run): void {
  const servers = root
    .command('servers')
    .description('show how each server is doing, or change those of the running gateway')
    .option('--json', 'print JSON')
    .action(async (options) =>
      run(async (context) => (await import('../commands/servers/servers.ts')).servers(options, context)),
    );
  const load = () => import('../commands/servers/stored-servers.ts');
  // An option before the subcommand counts for it too.
  const merged = <Options extends object>(options: Options): Options => ({ ...servers.opts(), ...options });

  describing(servers.command('add').description('have the running gateway keep a server and connect it')).action(
    async (name, args, options) =>
      run(async (context) => (await load()).addServer(name, args, merged(options), context)),
  );
  describing(servers.command('edit').description('change a server that the gateway keeps; the rest of it stays'))
    .option('--rename <name>', 'another name')
    .action(async (name, args, options) =>
      run(async (context) => (await load()).editServer(name, args, merged(options), context)),
    );
  describing(
    servers.command('test').description('try a server of the gateway, or one described here, and keep nothing'),
  ).action(async (name, args, options) =>
    run(async (context) => (await load()).testServer(name, args, merged(options), context)),
  );
  servers
    .command('remove')
    .description('end a server that the gateway keeps, and forget it')
    .argument('<name>')
    .action(async (name) => run(async (context) => (await load()).removeServer(name, context)));
  for (const verb of ['enable', 'disable'] as const) {
    servers
      .command(verb)
      .description(verb === 'enable' ? 'have a kept server used again' : 'keep a server without using it')
      .argument('<name>')
      .action(async (name) => run(async (context) => (await load()).switchServer(name, verb, context)));
  }
}

/** The options that describe a server. */
function describing(command: Command): Command {
  return command
    .argument('<name>', 'its name')
    .argument('[args...]', "the program's arguments, after --")
    .option('--url <url>', 'its address')
    .option('--command <program>', 'the program to start')
    .option('--env <name=value>', 'a variable for the program; repeatable', gather)
    .option('--cwd <directory>', "the program's working directory")
    .addOption(new Option('--transport <name>', 'how to speak to an address').choices(urlTransports))
    .option('--openapi <url>', 'where the OpenAPI document is of an HTTP API at --url; its operations become tools')
    .option('--header <name:value>', 'a header of every request; repeatable', gather)
    .option('--bearer <token>', 'authenticate with a bearer token')
    .option('--api-key <key>', 'authenticate with an API key')
    .option('--api-key-header <name>', 'the header that carries it; x-api-key')
    .option('--basic <user:password>', 'authenticate with a user name and a password')
    .option('--oauth', 'sign in with OAuth')
    .option('--allow-insecure', 'allow plain http to another machine')
    .option('--description <text>', 'what it is for')
    .option('--timeout <duration>', 'time for one request, 1s to 300s')
    .option('--retry-attempts <count>', 'connection attempts after the first, 0 to 5')
    .option('--disabled', 'keep it without using it')
    .option('--required', "fail if it can't be reached")
    .option('--trusted', 'believe its annotations of read-only and idempotent tools')
    .addOption(new Option('--protocol <era>', 'the MCP era to speak; auto').choices(protocolChoices))
    .addOption(new Option('--mode <mode>', 'strict offers configured tools only; dynamic').choices(toolModes))
    .addOption(new Option('--on-change <action>', 'what happens to a changed tool; ask').choices(onChangeActions))
    .option('--allow <glob>', 'offer only the tools that match; repeatable', gather)
    .option('--deny <glob>', 'never offer the tools that match; repeatable', gather)
    .option('--prompt <name>', 'offer only the prompts named; repeatable', gather)
    .option('--rate <calls/period>', 'limit the rate of calls, such as 100/1m')
    .option('--max-instances <count>', 'concurrent calls of one tool')
    .option('--tool-timeout <duration>', 'time limit of one call')
    .option('--json', 'print JSON')
    .addHelpText('after', `\n${secretNote}`);
}
