import { type CommandFeature, commandsOf, groups, json, serverOption } from '../../core/program/command-actions.ts';

/** `tools report`. */
export const toolReport: CommandFeature = {
  name: 'tool-report',
  group: groups.tools,
  after: 'tools',
  add(root, run) {
    const tools = root.commands.find((command) => command.name() === 'tools');
    const add = commandsOf(run, () => import('./tool-report.ts'));
    if (!tools) return;
    add(tools, 'report', 'Report the tools that models confuse, do not understand or never use', 'reportTools', {
      options: [['--days <days>', 'Count the calls and searches of this many days (default: 30)'], serverOption, json],
      help: 'To search for the word report, write another word in front of it.',
    });
  },
};
