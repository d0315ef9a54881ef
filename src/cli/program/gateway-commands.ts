import { type Command, Option } from 'commander';
import { gatewayDefaults } from '../../config/defaults.ts';
import { approvalScopes } from '../../policy/approval.ts';
import type { Run } from '../command.ts';
import { gather } from './gather.ts';

const json = ['--json', 'print JSON'] as const;
const scope = () => new Option('--scope <scope>', 'how far the answer reaches; once').choices(approvalScopes);

/** The gateway itself, and the commands that talk to a running one. */
export function addGatewayCommands(root: Command, run: Run): void {
  root
    .command('serve')
    .description('run the gateway: one MCP endpoint and a REST API for all servers')
    .option('--host <address>', `the address to listen on; ${gatewayDefaults.host}`)
    .option('--port <number>', `the port to listen on, 0 for any free one; ${gatewayDefaults.port}`)
    .option('--database <url>', 'keep everything in PostgreSQL instead of the data directory')
    .addOption(new Option('--log-format <format>', 'how to write on stderr').choices(['text', 'json']).default('text'))
    .action(async (options) =>
      run(async (context) => (await import('../commands/serve/serve.ts')).serve(options, context)),
    );

  root
    .command('stdio')
    .description('the MCP endpoint over stdin and stdout, for clients that start it')
    .option('--profile <name>', 'the profile to serve', 'default')
    .action(async (options) => run(async (context) => (await import('../commands/stdio.ts')).stdio(options, context)));

  addApprovals(root, run);
  addRules(root, run);
  addKeys(root, run);
  addPins(root, run);

  root
    .command('logs')
    .description("print what a server's program says on its error output")
    .argument('<server>')
    .option('-f, --follow', 'go on with what it says from now on')
    .action(async (server, options) =>
      run(async (context) => (await import('../commands/logs.ts')).logs(server, options, context)),
    );
}

function addApprovals(root: Command, run: Run): void {
  const approvals = root
    .command('approvals')
    .description('list the calls that wait for a person, and answer them')
    .option('-w, --watch', 'show each as it comes, and ask at a terminal')
    .option(...json)
    .action(async (options) =>
      run(async (context) => {
        if (options.watch)
          return (await import('../commands/approvals/watch-approvals.ts')).watchApprovals(options, context);
        return (await import('../commands/approvals/approvals.ts')).listApprovals(options, context);
      }),
    );
  approvals
    .command('allow')
    .description('let a call run')
    .argument('<id>', 'its id, or the beginning of it')
    .addOption(scope())
    .option('--args <json>', 'run it with these arguments instead')
    .action(async (id, options) =>
      run(async (context) => (await import('../commands/approvals/approvals.ts')).allowApproval(id, options, context)),
    );
  approvals
    .command('deny')
    .description('refuse a call')
    .argument('<id>', 'its id, or the beginning of it')
    .addOption(scope())
    .option('--reason <text>', 'why; the caller is told')
    .action(async (id, options) =>
      run(async (context) => (await import('../commands/approvals/approvals.ts')).denyApproval(id, options, context)),
    );
}

function addRules(root: Command, run: Run): void {
  const list = async (options: object) =>
    run(async (context) => (await import('../commands/rules.ts')).listRules(options, context));
  const rules = root
    .command('rules')
    .description('list and revoke remembered answers')
    .option(...json)
    .action(list);
  rules
    .command('list')
    .description('list them')
    .option(...json)
    .action((options) => list({ ...rules.opts(), ...options }));
  rules
    .command('revoke')
    .description('forget one')
    .argument('<id>', 'its id, or the beginning of it')
    .action(async (id) => run(async (context) => (await import('../commands/rules.ts')).revokeRule(id, context)));
}

function addKeys(root: Command, run: Run): void {
  const list = async (options: object) =>
    run(async (context) => (await import('../commands/keys.ts')).listKeys(options, context));
  const keys = root
    .command('keys')
    .description('list, make and revoke API keys')
    .option(...json)
    .action(list);
  keys
    .command('list')
    .description('list them')
    .option(...json)
    .action((options) => list({ ...keys.opts(), ...options }));
  keys
    .command('create')
    .description('make one and print it, this once')
    .argument('<name>', 'whose it is')
    .option('--profile <name>', 'the only profile it opens')
    .addOption(new Option('--right <right>', 'read, call or admin; repeatable; read and call').argParser(gather))
    .option(...json)
    .action(async (name, options) =>
      run(async (context) =>
        (await import('../commands/keys.ts')).createKey(name, { ...keys.opts(), ...options }, context),
      ),
    );
  keys
    .command('revoke')
    .description('end one at once')
    .argument('<id>', 'its id, or the beginning of it')
    .action(async (id) => run(async (context) => (await import('../commands/keys.ts')).revokeKey(id, context)));
}

function addPins(root: Command, run: Run): void {
  const list = async (options: object) =>
    run(async (context) => (await import('../commands/pins.ts')).listPins(options, context));
  const pins = root
    .command('pins')
    .description('accepted tool definitions, and what changed since')
    .option(...json)
    .action(list);
  pins
    .command('list')
    .description('list them')
    .option(...json)
    .action((options) => list({ ...pins.opts(), ...options }));
  pins
    .command('changes')
    .description('show tools that are not as they were accepted')
    .option(...json)
    .action(async (options) =>
      run(async (context) =>
        (await import('../commands/pins.ts')).listChanges({ ...pins.opts(), ...options }, context),
      ),
    );
  pins
    .command('accept')
    .description('accept a tool as it is now')
    .argument('<tool>', 'its name as in `toolwharf tools`')
    .action(async (tool) => run(async (context) => (await import('../commands/pins.ts')).acceptChange(tool, context)));
}
