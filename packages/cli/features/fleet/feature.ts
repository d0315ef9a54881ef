import { type CommandFeature, commandsOf, groups, json } from '../../core/program/command-actions.ts';

/** `fleet`. */
export const fleet: CommandFeature = {
  name: 'fleet',
  group: groups.gateway,
  after: 'events',
  add(root, run) {
    const add = commandsOf(run, () => import('./fleet.ts'));
    const about = 'List the replicas that share the database';
    add(root, 'fleet', about, 'fleet', { options: [json], gatewayOnly: true });
  },
};
