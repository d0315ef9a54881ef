import { type CommandFeature, choice, commandsOf, groups } from '../../core/program/command-actions.ts';

const topics = ['request', 'question', 'log', 'progress', 'notification'];

/** `inspect`. */
export const traffic: CommandFeature = {
  name: 'traffic',
  group: groups.gateway,
  after: 'logs',
  add(root, run) {
    const add = commandsOf(run, () => import('./inspect.ts'));
    add(root, 'inspect', 'Print the messages between the gateway and a server as they are sent', 'inspect', {
      args: [['<server>', 'Server name']],
      options: [
        choice('-t, --topic <topic>', 'Only messages of this topic', topics),
        ['-m, --method <text>', 'Only messages whose method contains this text'],
        ['--errors', 'Only errors and messages that were not delivered'],
        ['--json', 'Print JSON lines'],
      ],
      gatewayOnly: true,
    });
  },
};
