import type { Command } from 'commander';
import { approvalScopes, ruleAudiences } from '../../../contract/approvals.ts';
import { approvalModes, exposures, namings, newToolModes } from '../../../contract/settings/choices.ts';
import type { Run } from '../command-context.ts';
import { addList, type CommandParts, choice, commandsOf, idArgument, json, repeatable } from './command-actions.ts';

/** Adds `approvals`, `rules`, `keys`, `users`, `roles`, `profiles` and `pins`. */
export function addAccessCommands(root: Command, run: Run): void {
  addApprovals(root, run);
  addRules(root, run);
  addKeys(root, run);
  addUsers(root, run);
  addRoles(root, run);
  addProfiles(root, run);
  addPins(root, run);
}

const byId: CommandParts = { args: [idArgument], options: [json] };

function addApprovals(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('../commands/approvals.ts'));
  const audienceText = 'Callers a remembered answer is for (default: caller, the key or assistant)';
  const remembering = () => [
    choice('--scope <scope>', 'Calls the answer applies to (default: once)', approvalScopes),
    choice('--audience <audience>', audienceText, ruleAudiences),
  ];
  const approvals = add(root, 'approvals', 'List and answer calls awaiting approval', 'approvals', {
    options: [['-w, --watch', 'Show each call as it arrives; at a terminal, prompt for the answer'], json],
    gatewayOnly: true,
  });
  add(approvals, 'allow', 'Allow a call', 'allowApproval', {
    args: [idArgument],
    options: [
      ...remembering(),
      ['--args <json>', 'Run the call with these arguments instead'],
      ['--script', 'Allow all pending calls of the script that makes the call'],
      json,
    ],
  });
  add(approvals, 'deny', 'Deny a call', 'denyApproval', {
    args: [idArgument],
    options: [
      ...remembering(),
      ['--script', 'Deny all pending calls of the script that makes the call'],
      ['--reason <text>', 'Reason to send to the caller'],
      json,
    ],
  });
}

function addRules(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('../commands/rules.ts'));
  const about = { description: 'List and revoke remembered approvals', list: 'List remembered approvals' };
  const rules = addList(add, root, 'rules', about, 'listRules');
  add(rules, 'revoke', 'Revoke a remembered approval; its calls need approval again', 'revokeRule', byId);
}

function addKeys(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('../commands/keys.ts'));
  const about = { description: 'List, create and revoke API keys', list: 'List API keys' };
  const keys = addList(add, root, 'keys', about, 'listKeys', { gatewayOnly: true });
  add(keys, 'create', 'Create an API key and print it once', 'createKey', {
    args: [['<name>', 'Name of the key']],
    options: [
      ['--profile <name>', 'Restrict the key to this profile'],
      repeatable('--right <right>', 'A permission, or read, call or admin (repeatable; default: read and call)'),
      ['--expires <days>', 'Days after which the key ends'],
      json,
    ],
  });
  add(keys, 'revoke', 'Revoke an API key immediately', 'revokeKey', byId);
}

function addUsers(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('../commands/users.ts'));
  const about = { description: 'List, disable and enable people who have signed in', list: 'List users' };
  const users = addList(add, root, 'users', about, 'listUsers', { gatewayOnly: true });
  const parts: CommandParts = { args: [['<user>', 'Email address, or id or its first characters']], options: [json] };
  add(users, 'disable', 'Deny a person access; their sessions end immediately', 'disableUser', parts);
  add(users, 'enable', 'Give a disabled person access again', 'enableUser', parts);
}

function addRoles(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('../commands/roles.ts'));
  const about = { description: 'List, create and change roles', list: 'List roles' };
  const roles = addList(add, root, 'roles', about, 'listRoles', { gatewayOnly: true });
  const args = [['<name>', 'Name of the role']] as const;
  const settings = (): CommandParts => ({
    args,
    options: [
      ['--title <text>', 'Name that the app shows'],
      ['--description <text>', 'Purpose of the role'],
      repeatable('--permission <permission>', 'A permission of the role (repeatable)'),
      json,
    ],
  });
  add(roles, 'create', 'Create a role with permissions that you have', 'createRole', settings());
  add(roles, 'edit', 'Replace settings of a role', 'editRole', settings());
  add(roles, 'remove', 'Remove a role; who has it loses its permissions immediately', 'removeRole', {
    args,
    options: [json],
  });
}

function addProfiles(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('../commands/profiles.ts'));
  const about = { description: 'List, create and change profiles', list: 'List profiles' };
  const profiles = addList(add, root, 'profiles', about, 'listProfiles', { gatewayOnly: true });
  const args = [['<name>', 'Name of the profile']] as const;
  const settings = (): CommandParts => ({
    args,
    options: [
      ['--file <file>', 'Read the settings from a YAML or JSON file'],
      ['--description <text>', 'Purpose of the profile'],
      repeatable('-s, --server <pattern>', 'Servers of the profile (repeatable; default: all)'),
      repeatable('--allow <pattern>', 'Only offer these tools, as server/tool (repeatable)'),
      repeatable('--deny <pattern>', 'Never offer these tools, as server/tool (repeatable)'),
      choice('--naming <naming>', 'How tools are named', namings),
      choice('--expose <exposure>', 'How tools are listed (default: all)', exposures),
      ['--expose-budget <tokens>', 'Longest list in tokens with --expose auto (default: 10000)'],
      repeatable('--always-list <pattern>', 'Tools that are listed with --expose search and code too (repeatable)'),
      choice('--new-tools <mode>', 'Tools that a server offers after its first list (default: show)', newToolModes),
      ['--max-inline-result-bytes <bytes>', 'Larger results become references (default: 32768 with search and code)'],
      choice('--approval <mode>', 'Which calls need approval', approvalModes),
      json,
    ],
  });
  add(profiles, 'show', 'Print the settings of a profile as JSON', 'showProfile', { args, options: [json] });
  add(profiles, 'create', 'Create a profile', 'createProfile', settings());
  add(profiles, 'edit', 'Change the given settings of a stored profile', 'editProfile', settings());
  add(profiles, 'remove', 'Delete a stored profile', 'removeProfile', { args, options: [json] });
}

function addPins(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('../commands/pins.ts'));
  const description = 'List accepted tool definitions and review changes';
  const about = { description, list: 'List accepted tool definitions' };
  const pins = addList(add, root, 'pins', about, 'listPins', { gatewayOnly: true });
  const changes = 'Show new tools, and tools whose definition differs from the accepted one';
  add(pins, 'changes', changes, 'listChanges', { options: [json] });
  add(pins, 'accept', "Accept a tool's current definition", 'acceptChange', {
    args: [['<tool>', 'Tool name as listed by `toolwharf tools`']],
    options: [json],
  });
}
