import { addCommand, type CommandFeature, commandsOf, groups, json } from '../../core/program/command-actions.ts';

/** `flows`. */
export const flows: CommandFeature = {
  name: 'flows',
  group: groups.access,
  after: 'policy',
  add(root, run) {
    const add = commandsOf(run, () => import('./flows.ts'));
    const flows = addCommand(root, 'flows', 'Check the labels of results and where labelled data must not go');
    add(flows, 'check', 'Check that every label and flow compiles, and list them', 'checkFlows', {
      args: [['[file]', 'Configuration file (default: the one in use)']],
      options: [json],
      withoutGateway: true,
    });
  },
};
