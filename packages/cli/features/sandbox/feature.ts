import {
  addCommand,
  type CommandFeature,
  commandsOf,
  groups,
  json,
  repeatable,
} from '../../core/program/command-actions.ts';

/** `sandbox`. */
export const sandbox: CommandFeature = {
  name: 'sandbox',
  group: groups.servers,
  after: 'servers',
  check: async () => (await import('./check-sandboxes.ts')).checkSandboxes,
  add(root, run) {
    const add = commandsOf(run, () => import('./sandbox.ts'));
    const sandbox = addCommand(root, 'sandbox', 'Limit what the programs of servers may touch');
    const server = ['<server>', 'Server name'] as const;
    add(sandbox, 'show', 'Print what the program of a server may touch, and what was blocked', 'showSandbox', {
      args: [['[server]', 'Server name; all servers without it']],
      options: [json],
    });
    add(sandbox, 'learn', 'Start the program of a server anew, and watch what it uses', 'learnSandbox', {
      args: [server],
      options: [['--stop', 'End learning without a change of the profile'], json],
      gatewayOnly: true,
    });
    add(sandbox, 'diff', 'Print what the program has used and what its profile would change', 'diffSandbox', {
      args: [server],
      options: [json],
      gatewayOnly: true,
    });
    add(sandbox, 'accept', 'Accept the profile that `diff` prints, and limit the program to it', 'acceptSandbox', {
      args: [server],
      options: [repeatable('--without <entry>', 'Leave this entry out; can be repeated'), json],
      gatewayOnly: true,
    });
    add(
      sandbox,
      'allow',
      'Add hosts and paths to the accepted profile, and start the program with it',
      'allowInSandbox',
      {
        args: [server, ['<entry...>', 'Host, file or directory']],
        options: [['--write', 'Let the program change the files too'], json],
        gatewayOnly: true,
      },
    );
  },
};
