import {
  addList,
  type CommandFeature,
  commandsOf,
  groups,
  json,
  serverOption,
} from '../../core/program/command-actions.ts';

/** `skills`. */
export const skills: CommandFeature = {
  name: 'skills',
  group: groups.tools,
  after: 'prompts',
  add(root, run) {
    const add = commandsOf(run, () => import('./skills.ts'));
    const list = 'List the skills of all servers and of local folders';
    const about = { description: 'List, read and accept skills', list };
    const skills = addList(add, root, 'skills', about, 'listSkills', { options: [serverOption] });
    const name = ['<skill>', 'Name of the skill, or server/path; local/path for a local folder'] as const;
    add(skills, 'read', 'Print a file of a skill', 'readSkill', {
      args: [name, ['[path]', 'Path of the file in the skill (default: SKILL.md)']],
      options: [json],
    });
    const accept = 'Show what changed in a skill and accept the change';
    add(skills, 'accept', accept, 'acceptSkill', { args: [name], options: [json], gatewayOnly: true });
  },
};
