import { type Command, Option } from 'commander';
import { onChangeActions, protocolChoices, toolModes } from '../../config/choices.ts';
import { urlTransports } from '../../config/transports.ts';
import type { Run } from '../command-context.ts';
import { addListCommand, collect, createActions, jsonOption } from './command-actions.ts';

const secretNote = `A value '\${VAR}' or '\${file:/path}' is read from the environment or the file,
which keeps secrets out of the shell history.

Examples:
  toolwharf servers add crm --url https://crm.example.com/mcp --bearer '\${CRM_TOKEN}'
  toolwharf servers add files --command npx -- -y @modelcontextprotocol/server-filesystem /home/ada/notes`;

/** Adds `servers` and `registry`. */
export function addServerCommands(root: Command, run: Run): void {
  addServers(root, run);
  addRegistry(root, run);
}

function addServers(root: Command, run: Run): void {
  const status = createActions(run, () => import('../commands/servers/servers.ts'));
  const action = createActions(run, () => import('../commands/servers/stored-servers.ts'));
  const servers = root
    .command('servers')
    .description("Show the status of each server, or change the gateway's servers")
    .option(...jsonOption)
    .action(status((module) => module.servers));
  addServerOptions(servers.command('add').description('Add a server to the gateway and connect it')).action(
    action((module) => module.addServer),
  );
  addServerOptions(servers.command('edit').description('Change the given settings of a server'))
    .option('--rename <name>', 'New name')
    .action(action((module) => module.editServer));
  addServerOptions(
    servers.command('test').description('Test the connection to a server without saving anything'),
  ).action(action((module) => module.testServer));
  const stateCommands = [
    ['enable', 'Enable and connect a server', (module) => module.enableServer],
    ['disable', 'Disconnect a server and keep its settings', (module) => module.disableServer],
    ['connect', 'Connect a server now', (module) => module.connectServer],
    ['disconnect', 'Disconnect a server until it is connected again', (module) => module.disconnectServer],
    ['restart', 'Disconnect a server and connect it again', (module) => module.restartServer],
    ['refresh', "Read a server's tools again", (module) => module.refreshServer],
    ['remove', 'Disconnect and remove a server', (module) => module.removeServer],
  ] satisfies [string, string, Parameters<typeof action>[0]][];
  for (const [name, description, handler] of stateCommands) {
    servers
      .command(name)
      .description(description)
      .argument('<name>', 'Server name')
      .option(...jsonOption)
      .action(action(handler));
  }
}

function addServerOptions(command: Command): Command {
  return command
    .argument('<name>', 'Server name')
    .argument('[args...]', 'Arguments of --command, after --')
    .option('--url <url>', 'URL of the server')
    .option('--command <program>', 'Command that starts the server')
    .option('--env <name=value>', 'Environment variable for the command (repeatable)', collect)
    .option('--cwd <directory>', 'Working directory of the command')
    .addOption(new Option('--transport <name>', 'Transport for --url').choices(urlTransports))
    .option('--openapi <url>', 'OpenAPI document of an HTTP API at --url; its operations become tools')
    .option('--header <name:value>', 'Header of every request (repeatable)', collect)
    .option('--bearer <token>', 'Authenticate with a bearer token')
    .option('--api-key <key>', 'Authenticate with an API key')
    .option('--api-key-header <name>', 'Header that carries the API key (default: x-api-key)')
    .option('--basic <user:password>', 'Authenticate with a user name and password')
    .option('--oauth', 'Authenticate with OAuth')
    .option('--allow-insecure', 'Allow unencrypted HTTP to another machine')
    .option('--description <text>', 'Description')
    .option('--timeout <duration>', 'Request timeout, 1s to 300s')
    .option('--retry-attempts <count>', 'Connection attempts after the first, 0 to 5')
    .option('--disabled', 'Save the server without connecting it')
    .option('--required', 'Fail the start if the server is unreachable')
    .option('--trusted', 'Trust its read-only and idempotent annotations')
    .addOption(new Option('--protocol <era>', 'MCP protocol era (default: auto)').choices(protocolChoices))
    .addOption(
      new Option('--mode <mode>', 'strict exposes configured tools only (default: dynamic)').choices(toolModes),
    )
    .addOption(
      new Option('--on-change <action>', 'Action if a tool definition changes (default: ask)').choices(onChangeActions),
    )
    .option('--allow <glob>', 'Expose only matching tools (repeatable)', collect)
    .option('--deny <glob>', 'Never expose matching tools (repeatable)', collect)
    .option('--prompt <name>', 'Expose only these prompts (repeatable)', collect)
    .option('--root <directory>', 'Directory that the server gets as a root (repeatable)', collect)
    .option('--rate <calls/period>', 'Rate limit of calls, such as 100/1m')
    .option('--max-instances <count>', 'Maximum concurrent calls per tool')
    .option('--tool-timeout <duration>', 'Timeout of one call')
    .option(...jsonOption)
    .addHelpText('after', `\n${secretNote}`);
}

function addRegistry(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/registry.ts'));
  const registry = root
    .command('registry')
    .description('Search for published MCP servers and add them')
    .option('--registry <url>', "Registry to use (default: the gateway's, else gateway.registry)");
  registry
    .command('search')
    .description('Search for servers by name')
    .argument('[words...]', 'Words in the name')
    .option('--limit <count>', 'Maximum number of results, 1 to 100 (default: 30)')
    .option(...jsonOption)
    .action(action((module) => module.searchRegistry));
  registry
    .command('show')
    .description("Show a server's installation options and settings")
    .argument('<name>', 'Name in the registry')
    .option('--release <version>', 'Version (default: the latest)')
    .option(...jsonOption)
    .action(action((module) => module.showRegistryServer));
  registry
    .command('add')
    .description('Add a server to the gateway and connect it')
    .argument('<name>', 'Name in the registry')
    .option('--as <name>', 'Server name (default: the last part of the registry name)')
    .option('--install-option <number>', 'Installation option, as numbered by `registry show`')
    .option('--set <key=value>', "Setting of the server (repeatable); '${VAR}' reads an environment variable", collect)
    .option('--release <version>', 'Version (default: the latest)')
    .option('--yes', 'Add it without confirmation')
    .option(
      '--accept-risks',
      'Accept settings of the publisher that change what runs; needed with --yes if there are any',
    )
    .option(...jsonOption)
    .action(action((module) => module.addRegistryServer));
}

const callExamples = `Examples:
  toolwharf call mcp_filesystem_list_directory path=/home/ada/notes
  toolwharf call filesystem/read_text_file path=notes.txt head=5 --json
  toolwharf call https://example.com/mcp search query=boats --header 'Authorization: Bearer \${TOKEN}'
  echo '{"path":"notes.txt"}' | toolwharf call filesystem/read_text_file --args -`;

/** Adds `tools`, `call`, `resources`, `prompts`, `skills` and `calls`. */
export function addToolCommands(root: Command, run: Run): void {
  const tools = createActions(run, () => import('../commands/tools.ts'));
  const call = createActions(run, () => import('../commands/call/call.ts'));
  root
    .command('tools')
    .description('List the tools of all servers, search them, or list those of the server at a URL')
    .argument('[words...]', 'Words to search for, or the URL of a server that is not configured')
    .option(...headerOption)
    .option('-s, --server <name>', 'Only list the tools of this server')
    .option(...jsonOption)
    .action(tools((module) => module.tools));
  root
    .command('call')
    .description('Call a tool and print its result')
    .argument(
      '<tool>',
      'Tool name as listed by `toolwharf tools`, or server/tool; or the URL of a server, then the tool',
    )
    .option(...headerOption)
    .argument('[name=value...]', "Arguments, converted to the types of the tool's schema; name:=json passes exact JSON")
    .option('--args <json>', 'All arguments as a JSON object; - reads it from stdin')
    .option('-a, --arg <name=value>', 'One argument (repeatable)', collect)
    .option('--timeout <duration>', "Time limit, such as 30s; the tool's configured timeout still applies")
    .option('--json', 'Print the whole result as JSON')
    .addHelpText('after', `\n${callExamples}`)
    .action(call((module) => module.call));
  addContent(root, run);
  addCalls(root, run);
}

const headerOption = [
  '--header <name:value>',
  "Header for the server at a URL (repeatable); '${VAR}' reads an environment variable",
  collect,
] as const;

const serverOption = ['-s, --server <name>', 'Only use this server'] as const;

function addContent(root: Command, run: Run): void {
  const resources = createActions(run, () => import('../commands/resources.ts'));
  const prompts = createActions(run, () => import('../commands/prompts.ts'));
  addListCommand(
    root,
    'resources',
    { description: 'List and read resources', list: 'List the resources of all servers' },
    resources((module) => module.listResources),
    [serverOption],
  )
    .command('read')
    .description('Print a resource')
    .argument('<uri>', 'URI of the resource')
    .option(...serverOption)
    .option('-o, --output <file>', 'Write the content to a file')
    .option(...jsonOption)
    .action(resources((module) => module.readResource));
  addListCommand(
    root,
    'prompts',
    { description: 'List and render prompts', list: 'List the prompts of all servers' },
    prompts((module) => module.listPrompts),
    [serverOption],
  )
    .command('get')
    .description('Render a prompt and print its messages')
    .argument('<prompt>', 'Name of the prompt, or server/prompt')
    .argument('[name=value...]', 'Arguments of the prompt')
    .option(...serverOption)
    .option(...jsonOption)
    .action(prompts((module) => module.getPrompt));
  addSkills(root, run);
}

function addSkills(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/skills.ts'));
  const skills = addListCommand(
    root,
    'skills',
    { description: 'List, read and accept skills', list: 'List the skills of all servers and of local folders' },
    action((module) => module.listSkills),
    [serverOption],
  );
  const name = ['<skill>', 'Name of the skill, or server/path; local/path for a local folder'] as const;
  skills
    .command('read')
    .description('Print a file of a skill')
    .argument(...name)
    .argument('[path]', 'Path of the file in the skill (default: SKILL.md)')
    .option(...jsonOption)
    .action(action((module) => module.readSkill));
  skills
    .command('accept')
    .description('Show what changed in a skill and accept the change')
    .argument(...name)
    .option(...jsonOption)
    .action(action((module) => module.acceptSkill));
}

function addCalls(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/calls.ts'));
  const filters = [
    ['-s, --server <name>', 'Only calls to this server'],
    ['-t, --tool <name>', 'Only calls to this tool'],
    ['--status <status>', 'pending, running, success or error'],
    ['--end <ends>', 'Only failed calls that ended so, such as denied or tool,timeout'],
    ['--caller <id>', 'Only calls of this caller'],
    ['--parent <id>', 'Only calls made by this call or answer'],
    ['--since <time>', 'Only calls after this time, or in this last period, such as 2h'],
    ['--limit <count>', 'Maximum number of calls (default: 50)'],
  ] as const;
  const calls = addListCommand(
    root,
    'calls',
    { description: 'List, show, follow and cancel calls', list: 'List calls, newest first' },
    action((module) => module.listCalls),
    filters,
  );
  calls
    .command('show')
    .description('Show a call with its arguments and result')
    .argument('<id>', 'Id, or its first characters')
    .option(...jsonOption)
    .action(action((module) => module.showCall));
  calls
    .command('cancel')
    .description('Cancel a call that has not ended')
    .argument('<id>', 'Id, or its first characters')
    .option(...jsonOption)
    .action(action((module) => module.cancelCall));
  calls
    .command('follow')
    .description('Print each call as it starts and ends')
    .option(...filters[0])
    .option(...filters[1])
    .option('--json', 'Print JSON lines')
    .action(action((module) => module.followCalls));
}
