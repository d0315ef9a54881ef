import {
  addList,
  type CommandFeature,
  commandsOf,
  groups,
  idArgument,
  json,
} from '../../core/program/command-actions.ts';

/** `elevations`. */
export const elevation: CommandFeature = {
  name: 'elevation',
  group: groups.access,
  after: 'users',
  add(root, run) {
    const add = commandsOf(run, () => import('./elevations.ts'));
    const about = {
      description: 'Ask for and grant roles for a limited time',
      list: 'List requests for roles for a limited time',
    };
    const elevations = addList(add, root, 'elevations', about, 'listElevations', { gatewayOnly: true });
    const byId = { args: [idArgument], options: [json] };
    add(elevations, 'request', 'Ask for a role for a limited time', 'requestElevation', {
      args: [['<role>', 'Name of the role']],
      options: [
        ['--reason <text>', 'Why you need the role'],
        ['--minutes <minutes>', 'How long, 5 to 480 minutes (default: 60)'],
        json,
      ],
    });
    add(elevations, 'grant', 'Grant another person the role', 'grantElevation', byId);
    add(elevations, 'deny', 'Deny another person the role', 'denyElevation', byId);
    add(elevations, 'end', 'Withdraw a request, or end a granted role before its time', 'endElevation', byId);
  },
};
