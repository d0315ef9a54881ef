import type { Command } from 'commander';
import type { Run } from '../command-context.ts';
import { collect, createActions } from './command-actions.ts';

const callExamples = `Examples:
  toolwharf call mcp_filesystem_list_directory path=/home/ada/notes
  toolwharf call filesystem/read_text_file path=notes.txt head=5 --json
  echo '{"path":"notes.txt"}' | toolwharf call filesystem/read_text_file --args -`;

/** Adds `tools` and `call`. */
export function addToolCommands(root: Command, run: Run): void {
  const tools = createActions(run, () => import('../commands/tools.ts'));
  const call = createActions(run, () => import('../commands/call/call.ts'));
  root
    .command('tools')
    .description('List the tools of all servers')
    .option('-s, --server <name>', 'Only list the tools of this server')
    .option('--json', 'Print JSON')
    .action(tools((module) => module.tools));
  root
    .command('call')
    .description('Call a tool and print its result')
    .argument('<tool>', 'Tool name as listed by `toolwharf tools`, or server/tool')
    .argument('[name=value...]', "Arguments, converted to the types of the tool's schema; name:=json passes exact JSON")
    .option('--args <json>', 'All arguments as a JSON object; - reads it from stdin')
    .option('-a, --arg <name=value>', 'One argument (repeatable)', collect)
    .option('--timeout <duration>', "Time limit, such as 30s; the tool's configured timeout still applies")
    .option('--json', 'Print the whole result as JSON')
    .addHelpText('after', `\n${callExamples}`)
    .action(call((module) => module.call));
}
