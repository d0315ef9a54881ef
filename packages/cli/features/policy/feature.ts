import { addCommand, type CommandFeature, commandsOf, groups, json } from '../../core/program/command-actions.ts';

/** `policy`. */
export const policy: CommandFeature = {
  name: 'policy',
  group: groups.access,
  after: 'rules',
  add(root, run) {
    const add = commandsOf(run, () => import('./policy.ts'));
    const policy = addCommand(root, 'policy', 'Check, test and explain the conditions over calls');
    const file = ['[file]', 'Configuration file (default: the one in use)'] as const;
    const local = { args: [file], options: [json], withoutGateway: true };
    add(policy, 'check', 'Check that every rule compiles, and list the rules', 'checkPolicy', local);
    add(policy, 'test', 'Try each rule with the examples beside it', 'testPolicy', local);
  },
};
