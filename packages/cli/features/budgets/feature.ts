import { type CommandFeature, commandsOf, groups, json } from '../../core/program/command-actions.ts';

/** `policy budgets`. */
export const budgets: CommandFeature = {
  name: 'budgets',
  group: groups.access,
  after: 'policy',
  add(root, run) {
    const policy = root.commands.find((command) => command.name() === 'policy');
    const add = commandsOf(run, () => import('./budgets.ts'));
    if (policy)
      add(policy, 'budgets', 'List the budgets, with what was used and is left', 'listBudgets', { options: [json] });
  },
};
