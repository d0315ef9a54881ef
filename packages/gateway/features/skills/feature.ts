import type { Feature } from '../../core/feature.ts';
import { list } from '../../core/mcp/methods.ts';
import { getSkill } from '../../core/mcp/read-methods.ts';
import { createSkillView } from './skill-view.ts';

/** Skills of servers and folders. */
export const skills: Feature = {
  name: 'skills',
  mcp: {
    skills: { create: createSkillView },
    methods: new Map([
      ['skills/list', (request, ports) => list('skills', request, ports)],
      ['skills/get', getSkill],
    ]),
  },
  routes: async () => (await import('./routes.ts')).skillRoutes,
};
