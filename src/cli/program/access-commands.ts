import { type Command, Option } from 'commander';
import { approvalModes, exposures, namings } from '../../config/choices.ts';
import { approvalScopes } from '../../policy/approval.ts';
import { ruleAudiences } from '../../policy/remembered-rules.ts';
import type { Run } from '../command-context.ts';
import { addListCommand, collect, createActions, jsonOption } from './command-actions.ts';

/** Adds `approvals`, `rules`, `keys`, `users`, `accounts`, `profiles`, `scripts` and `pins`. */
export function addAccessCommands(root: Command, run: Run): void {
  addApprovals(root, run);
  addRules(root, run);
  addKeys(root, run);
  addUsers(root, run);
  addAccounts(root, run);
  addProfiles(root, run);
  addScripts(root, run);
  addPins(root, run);
}

const idArgument = ['<id>', 'Id, or its first characters'] as const;
const scopeOption = () =>
  new Option('--scope <scope>', 'Calls the answer applies to (default: once)').choices(approvalScopes);
const audienceOption = () =>
  new Option(
    '--audience <audience>',
    'Callers a remembered answer is for (default: caller, the key or assistant)',
  ).choices(ruleAudiences);

function addApprovals(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/approvals.ts'));
  const approvals = root
    .command('approvals')
    .description('List and answer calls awaiting approval')
    .option('-w, --watch', 'Show each call as it arrives; at a terminal, prompt for the answer')
    .option(...jsonOption)
    .action(action((module) => module.approvals));
  approvals
    .command('allow')
    .description('Allow a call')
    .argument(...idArgument)
    .addOption(scopeOption())
    .addOption(audienceOption())
    .option('--args <json>', 'Run the call with these arguments instead')
    .option('--script', 'Allow all pending calls of the script that makes the call')
    .option(...jsonOption)
    .action(action((module) => module.allowApproval));
  approvals
    .command('deny')
    .description('Deny a call')
    .argument(...idArgument)
    .addOption(scopeOption())
    .addOption(audienceOption())
    .option('--script', 'Deny all pending calls of the script that makes the call')
    .option('--reason <text>', 'Reason to send to the caller')
    .option(...jsonOption)
    .action(action((module) => module.denyApproval));
}

function addRules(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/rules.ts'));
  const about = { description: 'List and revoke remembered approvals', list: 'List remembered approvals' };
  addListCommand(
    root,
    'rules',
    about,
    action((module) => module.listRules),
  )
    .command('revoke')
    .description('Revoke a remembered approval; its calls need approval again')
    .argument(...idArgument)
    .option(...jsonOption)
    .action(action((module) => module.revokeRule));
}

function addKeys(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/keys.ts'));
  const about = { description: 'List, create and revoke API keys', list: 'List API keys' };
  const keys = addListCommand(
    root,
    'keys',
    about,
    action((module) => module.listKeys),
  );
  keys
    .command('create')
    .description('Create an API key and print it once')
    .argument('<name>', 'Name of the key')
    .option('--profile <name>', 'Restrict the key to this profile')
    .option('--right <right>', 'read, call or admin (repeatable; default: read and call)', collect)
    .option(...jsonOption)
    .action(action((module) => module.createKey));
  keys
    .command('revoke')
    .description('Revoke an API key immediately')
    .argument(...idArgument)
    .option(...jsonOption)
    .action(action((module) => module.revokeKey));
}

function addAccounts(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/accounts.ts'));
  const about = { description: 'List, connect and disconnect your accounts at servers', list: 'List your accounts' };
  const accounts = addListCommand(
    root,
    'accounts',
    about,
    action((module) => module.listAccounts),
    [['--all', 'List the accounts of everybody (administrators)']],
  );
  accounts
    .command('connect')
    .description('Connect an account at a server with per-user credentials')
    .argument('<server>', 'Name of the server')
    .option('--label <name>', 'Your name for the account')
    .option('--value-env <field=variable>', 'Read a value of the account from this variable (repeatable)', collect)
    .option(...jsonOption)
    .action(action((module) => module.connectAccount));
  accounts
    .command('disconnect')
    .description('Delete an account with its credentials')
    .argument(...idArgument)
    .option(...jsonOption)
    .action(action((module) => module.disconnectAccount));
}

function addUsers(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/users.ts'));
  const about = { description: 'List, disable and enable people who have signed in', list: 'List users' };
  const userArgument = ['<user>', 'Email address, or id or its first characters'] as const;
  const users = addListCommand(
    root,
    'users',
    about,
    action((module) => module.listUsers),
  );
  users
    .command('disable')
    .description('Deny a person access; their sessions end immediately')
    .argument(...userArgument)
    .option(...jsonOption)
    .action(action((module) => module.disableUser));
  users
    .command('enable')
    .description('Give a disabled person access again')
    .argument(...userArgument)
    .option(...jsonOption)
    .action(action((module) => module.enableUser));
}

function addProfiles(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/profiles.ts'));
  const about = { description: 'List, create and change profiles', list: 'List profiles' };
  const profiles = addListCommand(
    root,
    'profiles',
    about,
    action((module) => module.listProfiles),
  );
  const nameArgument = ['<name>', 'Name of the profile'] as const;
  const addSettings = (command: Command) =>
    command
      .argument(...nameArgument)
      .option('--file <file>', 'Read the settings from a YAML or JSON file')
      .option('--description <text>', 'Purpose of the profile')
      .option('-s, --server <pattern>', 'Servers of the profile (repeatable; default: all)', collect)
      .option('--allow <pattern>', 'Only offer these tools, as server/tool (repeatable)', collect)
      .option('--deny <pattern>', 'Never offer these tools, as server/tool (repeatable)', collect)
      .addOption(new Option('--naming <naming>', 'How tools are named').choices(namings))
      .addOption(new Option('--expose <exposure>', 'How tools are listed (default: all)').choices(exposures))
      .option('--expose-budget <tokens>', 'Longest list in tokens with --expose auto (default: 10000)')
      .option(
        '--always-list <pattern>',
        'Tools that are listed with --expose search and code too (repeatable)',
        collect,
      )
      .option(
        '--max-inline-result-bytes <bytes>',
        'Larger results become references (default: 32768 with search and code)',
      )
      .addOption(new Option('--approval <mode>', 'Which calls need approval').choices(approvalModes))
      .option(...jsonOption);
  profiles
    .command('show')
    .description('Print the settings of a profile as JSON')
    .argument(...nameArgument)
    .option(...jsonOption)
    .action(action((module) => module.showProfile));
  addSettings(profiles.command('create').description('Create a profile')).action(
    action((module) => module.createProfile),
  );
  addSettings(profiles.command('edit').description('Change the given settings of a stored profile')).action(
    action((module) => module.editProfile),
  );
  profiles
    .command('remove')
    .description('Delete a stored profile')
    .argument(...nameArgument)
    .option(...jsonOption)
    .action(action((module) => module.removeProfile));
}

function addScripts(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/scripts.ts'));
  const about = { description: 'List, save and delete scripts that are tools', list: 'List scripts' };
  const scripts = addListCommand(
    root,
    'scripts',
    about,
    action((module) => module.listScripts),
  );
  const nameArgument = ['<name>', 'Name of the script'] as const;
  scripts
    .command('show')
    .description('Print the code of a script')
    .argument(...nameArgument)
    .option(...jsonOption)
    .action(action((module) => module.showScript));
  scripts
    .command('save')
    .description('Save a TypeScript or JavaScript file as a script, or replace a saved one')
    .argument(...nameArgument)
    .argument('<file>', 'File with the code')
    .option('--description <text>', 'Description that models see')
    .option('--input <file>', 'JSON Schema of the arguments, as a JSON or YAML file')
    .option('--timeout <duration>', 'Time limit, such as 30s (default: 5m)')
    .option('--max-instances <count>', 'Concurrent calls')
    .option(...jsonOption)
    .action(action((module) => module.saveScript));
  scripts
    .command('remove')
    .description('Delete a saved script')
    .argument(...nameArgument)
    .option(...jsonOption)
    .action(action((module) => module.removeScript));
}

function addPins(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/pins.ts'));
  const about = {
    description: 'List accepted tool definitions and review changes',
    list: 'List accepted tool definitions',
  };
  const pins = addListCommand(
    root,
    'pins',
    about,
    action((module) => module.listPins),
  );
  pins
    .command('changes')
    .description('Show tools whose definition differs from the accepted one')
    .option(...jsonOption)
    .action(action((module) => module.listChanges));
  pins
    .command('accept')
    .description("Accept a tool's current definition")
    .argument('<tool>', 'Tool name as listed by `toolwharf tools`')
    .option(...jsonOption)
    .action(action((module) => module.acceptChange));
}
