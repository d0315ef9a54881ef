import {
  addCommand,
  type CommandFeature,
  type CommandParts,
  commandsOf,
  groups,
  json,
  repeatable,
} from '../../core/program/command-actions.ts';

/** `registry`. */
export const registry: CommandFeature = {
  name: 'registry',
  group: groups.servers,
  after: 'servers',
  add(root, run) {
    const add = commandsOf(run, () => import('./registry.ts'));
    const registry = addCommand(root, 'registry', 'Search for published MCP servers and add them', {
      options: [['--registry <url>', "Registry to use (default: the gateway's, else gateway.registry)"]],
    });
    add(registry, 'search', 'Search for servers by name', 'searchRegistry', {
      args: [['[words...]', 'Words in the name']],
      options: [['--limit <count>', 'Maximum number of results, 1 to 100 (default: 30)'], json],
    });
    const args: CommandParts['args'] = [['<name>', 'Name in the registry']];
    const release = ['--release <version>', 'Version (default: the latest)'] as const;
    const show = "Show a server's installation options and settings";
    add(registry, 'show', show, 'showRegistryServer', { args, options: [release, json] });
    add(registry, 'add', 'Add a server to the gateway and connect it', 'addRegistryServer', {
      args,
      options: [
        ['--as <name>', 'Server name (default: the last part of the registry name)'],
        ['--install-option <number>', 'Installation option, as numbered by `registry show`'],
        repeatable('--set <key=value>', "Setting of the server (repeatable); '${VAR}' reads an environment variable"),
        release,
        ['--yes', 'Add it without confirmation'],
        [
          '--accept-risks',
          'Accept settings of the publisher that change what runs; needed with --yes if there are any',
        ],
        json,
      ],
      gatewayOnly: true,
    });
  },
};
