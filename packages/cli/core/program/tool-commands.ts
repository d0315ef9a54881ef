import type { Command } from 'commander';
import type { Run } from '../command-context.ts';
import { addList, commandsOf, json, repeatable, serverOption } from './command-actions.ts';

const callExamples = `Examples:
  toolwharf call mcp_filesystem_list_directory path=/home/ada/notes
  toolwharf call filesystem/read_text_file path=notes.txt head=5 --json
  toolwharf call https://example.com/mcp search query=boats --header 'Authorization: Bearer \${TOKEN}'
  echo '{"path":"notes.txt"}' | toolwharf call filesystem/read_text_file --args -`;

const header = repeatable(
  '--header <name:value>',
  "Header for the server at a URL (repeatable); '${VAR}' reads an environment variable",
);

/** Adds `tools`, `call`, `resources`, `prompts` and `calls`. */
export function addToolCommands(root: Command, run: Run): void {
  const tools = commandsOf(run, () => import('../commands/tools.ts'));
  const call = commandsOf(run, () => import('../commands/call/call.ts'));
  tools(root, 'tools', 'List the tools of all servers, search them, or list those of the server at a URL', 'tools', {
    args: [['[words...]', 'Words to search for, or the URL of a server that is not configured']],
    options: [header, ['-s, --server <name>', 'Only list the tools of this server'], json],
  });
  call(root, 'call', 'Call a tool and print its result', 'call', {
    args: [
      ['<tool>', 'Tool name as listed by `toolwharf tools`, or server/tool; or the URL of a server, then the tool'],
      ['[name=value...]', "Arguments, converted to the types of the tool's schema; name:=json passes exact JSON"],
    ],
    options: [
      header,
      ['--args <json>', 'All arguments as a JSON object; - reads it from stdin'],
      repeatable('-a, --arg <name=value>', 'One argument (repeatable)'),
      ['--timeout <duration>', "Time limit, such as 30s; the tool's configured timeout still applies"],
      ['--json', 'Print the whole result as JSON'],
    ],
    help: callExamples,
  });
  addContent(root, run);
  addCalls(root, run);
}

function addContent(root: Command, run: Run): void {
  const resource = commandsOf(run, () => import('../commands/resources.ts'));
  const prompt = commandsOf(run, () => import('../commands/prompts.ts'));
  const options = [serverOption];
  const aboutResources = { description: 'List and read resources', list: 'List the resources of all servers' };
  const resources = addList(resource, root, 'resources', aboutResources, 'listResources', { options });
  resource(resources, 'read', 'Print a resource', 'readResource', {
    args: [['<uri>', 'URI of the resource']],
    options: [serverOption, ['-o, --output <file>', 'Write the content to a file'], json],
  });
  const aboutPrompts = { description: 'List and render prompts', list: 'List the prompts of all servers' };
  const prompts = addList(prompt, root, 'prompts', aboutPrompts, 'listPrompts', { options });
  prompt(prompts, 'get', 'Render a prompt and print its messages', 'getPrompt', {
    args: [
      ['<prompt>', 'Name of the prompt, or server/prompt'],
      ['[name=value...]', 'Arguments of the prompt'],
    ],
    options: [serverOption, json],
  });
}

function addCalls(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('../commands/calls.ts'));
  const ofServer = ['-s, --server <name>', 'Only calls to this server'] as const;
  const ofTool = ['-t, --tool <name>', 'Only calls to this tool'] as const;
  const about = { description: 'List, show, follow and cancel calls', list: 'List calls, newest first' };
  const calls = addList(add, root, 'calls', about, 'listCalls', {
    options: [
      ofServer,
      ofTool,
      ['--status <status>', 'pending, running, success or error'],
      ['--end <ends>', 'Only failed calls that ended so, such as denied or tool,timeout'],
      ['--caller <id>', 'Only calls of this caller'],
      ['--parent <id>', 'Only calls made by this call or answer'],
      ['--since <time>', 'Only calls after this time, or in this last period, such as 2h'],
      ['--limit <count>', 'Maximum number of calls (default: 50)'],
    ],
    gatewayOnly: true,
  });
  const byId = { args: [['<id>', 'Id, or its first characters']], options: [json] } as const;
  add(calls, 'show', 'Show a call with its arguments and result', 'showCall', byId);
  add(calls, 'cancel', 'Cancel a call that has not ended', 'cancelCall', byId);
  add(calls, 'follow', 'Print each call as it starts and ends', 'followCalls', {
    options: [ofServer, ofTool, ['--json', 'Print JSON lines']],
  });
}
