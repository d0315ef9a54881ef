import type { Command } from 'commander';
import type { Run } from '../command.ts';
import { gather } from './gather.ts';

const callExamples = `Examples:
  toolwharf call mcp_filesystem_list_directory path=/home/ada/notes
  toolwharf call filesystem/read_text_file path=notes.txt head=5 --json
  echo '{"path":"notes.txt"}' | toolwharf call filesystem/read_text_file --args -`;

/** The commands that use tools: `tools`, `call`. */
export function addCallingCommands(root: Command, run: Run): void {
  root
    .command('tools')
    .description('list the tools of all servers')
    .option('-s, --server <name>', 'only this server')
    .option('--json', 'print JSON')
    .action(async (options) => run(async (context) => (await import('../commands/tools.ts')).tools(options, context)));

  root
    .command('call')
    .description('call a tool and print its result')
    .argument('<name>', 'its name as in `toolwharf tools`, or server/tool')
    .argument('[name=value...]', "its arguments, typed by the tool's schema; name:=json for exact JSON")
    .option('--args <json>', 'its arguments as a JSON object; - reads them from stdin')
    .option('-a, --arg <name=value>', 'one argument, as above; repeatable', gather)
    .option('--timeout <duration>', "give up after this time, such as 30s; the tool's own limit holds besides")
    .option('--json', 'print the whole result as JSON')
    .addHelpText('after', `\n${callExamples}`)
    .action(async (name, pairs: readonly string[], { arg = [], ...options }) =>
      run(async (context) =>
        (await import('../commands/call/call.ts')).call(name, { ...options, arg: [...arg, ...pairs] }, context),
      ),
    );
}
