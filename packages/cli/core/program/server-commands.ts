import type { Command } from 'commander';
import { urlTransports } from '../../../contract/settings/transports.ts';
import type { Run } from '../command-context.ts';
import { type CommandParts, choice, commandsOf, json, repeatable } from './command-actions.ts';

const secretNote = `A value '\${VAR}' or '\${file:/path}' is read from the environment or the file,
which keeps secrets out of the shell history.

Examples:
  toolwharf servers add crm --url https://crm.example.com/mcp --bearer '\${CRM_TOKEN}'
  toolwharf servers add files --command npx -- -y @modelcontextprotocol/server-filesystem /home/ada/notes`;

/** Adds `servers`. */
export function addServerCommands(root: Command, run: Run): void {
  const status = commandsOf(run, () => import('../commands/servers/servers.ts'));
  const add = commandsOf(run, () => import('../commands/servers/stored-servers.ts'));
  const about = "Show the status of each server, or change the gateway's servers";
  const servers = status(root, 'servers', about, 'servers', { options: [json] });
  add(servers, 'add', 'Add a server to the gateway and connect it', 'addServer', settings());
  add(
    servers,
    'edit',
    'Change the given settings of a server',
    'editServer',
    settings(['--rename <name>', 'New name']),
  );
  add(servers, 'test', 'Test the connection to a server without saving anything', 'testServer', settings());
  const byName: CommandParts = { args: [['<name>', 'Server name']], options: [json], gatewayOnly: true };
  add(servers, 'accept', 'Accept a server that waits for review, and connect it', 'acceptServer', byName);
  add(servers, 'enable', 'Enable and connect a server', 'enableServer', byName);
  add(servers, 'disable', 'Disconnect a server and keep its settings', 'disableServer', byName);
  add(servers, 'connect', 'Connect a server now', 'connectServer', byName);
  add(servers, 'disconnect', 'Disconnect a server until it is connected again', 'disconnectServer', byName);
  add(servers, 'restart', 'Disconnect a server and connect it again', 'restartServer', byName);
  add(servers, 'refresh', "Read a server's tools again", 'refreshServer', byName);
  add(servers, 'remove', 'Disconnect and remove a server', 'removeServer', byName);
}

/** The arguments and options that describe a server. */
function settings(...more: readonly (readonly [string, string])[]): CommandParts {
  return {
    args: [
      ['<name>', 'Server name'],
      ['[args...]', 'Arguments of --command, after --'],
    ],
    options: [
      ['--url <url>', 'URL of the server'],
      ['--command <program>', 'Command that starts the server'],
      repeatable('--env <name=value>', 'Environment variable for the command (repeatable)'),
      choice('--transport <name>', 'Transport for --url', urlTransports),
      repeatable('--header <name:value>', 'Header of every request (repeatable)'),
      ['--bearer <token>', 'Authenticate with a bearer token'],
      ['--api-key <key>', 'Authenticate with an API key'],
      ['--api-key-header <name>', 'Header that carries the API key (default: x-api-key)'],
      ['--basic <user:password>', 'Authenticate with a user name and password'],
      ['--oauth', 'Authenticate with OAuth'],
      ['--disabled', 'Save the server without connecting it'],
      ['--rate <calls/period>', 'Rate limit of calls, such as 100/1m'],
      json,
      ...more,
    ],
    settings: 'server',
    help: secretNote,
  };
}
