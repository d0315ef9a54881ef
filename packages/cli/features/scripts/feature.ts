import {
  addList,
  type CommandFeature,
  type CommandParts,
  commandsOf,
  groups,
  json,
} from '../../core/program/command-actions.ts';

/** `scripts`. */
export const scripts: CommandFeature = {
  name: 'scripts',
  group: groups.access,
  after: 'profiles',
  add(root, run) {
    const add = commandsOf(run, () => import('./scripts.ts'));
    const about = { description: 'List, save and delete scripts that are tools', list: 'List scripts' };
    const scripts = addList(add, root, 'scripts', about, 'listScripts', { gatewayOnly: true });
    const name = ['<name>', 'Name of the script'] as const;
    const byName: CommandParts = { args: [name], options: [json] };
    add(scripts, 'show', 'Print the code of a script', 'showScript', byName);
    const save = 'Save a TypeScript or JavaScript file as a script, or replace a saved one';
    add(scripts, 'save', save, 'saveScript', {
      args: [name, ['<file>', 'File with the code']],
      options: [['--input <file>', 'JSON Schema of the arguments, as a JSON or YAML file'], json],
      settings: 'script',
    });
    add(scripts, 'remove', 'Delete a saved script', 'removeScript', byName);
  },
};
