import {
  addList,
  type CommandFeature,
  commandsOf,
  groups,
  idArgument,
  json,
  repeatable,
} from '../../core/program/command-actions.ts';

/** `accounts`. */
export const accounts: CommandFeature = {
  name: 'accounts',
  group: groups.access,
  after: 'users',
  add(root, run) {
    const add = commandsOf(run, () => import('./accounts.ts'));
    const about = { description: 'List, connect and disconnect your accounts at servers', list: 'List your accounts' };
    const accounts = addList(add, root, 'accounts', about, 'listAccounts', {
      options: [['--all', 'List the accounts of everybody (administrators)']],
      gatewayOnly: true,
    });
    add(accounts, 'connect', 'Connect an account at a server with per-user credentials', 'connectAccount', {
      args: [['<server>', 'Name of the server']],
      options: [
        ['--label <name>', 'Your name for the account'],
        repeatable('--value-env <field=variable>', 'Read a value of the account from this variable (repeatable)'),
        json,
      ],
    });
    const byId = { args: [idArgument], options: [json] };
    add(accounts, 'disconnect', 'Delete an account with its credentials', 'disconnectAccount', byId);
  },
};
