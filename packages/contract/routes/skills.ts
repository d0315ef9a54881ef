import { z } from 'zod';
import { acceptSkillSchema, skillContentSchema, skillFileQuery, skillListSchema, skillSchema } from '../api/skills.ts';
import { defineRoutes } from './define-routes.ts';
import { readErrors } from './server-content.ts';

const group = 'skills';

export const skillRoutes = defineRoutes({
  listSkills: {
    method: 'get',
    path: '/api/skills',
    right: 'tools.read',
    group,
    summary: 'Lists the skills of all servers and of local folders, with the changes since each was accepted.',
    query: z.object({
      server: z.string().optional().describe('Only skills of this server.'),
      changed: z.enum(['true']).optional().describe('Only skills that differ from the accepted ones.'),
    }),
    answer: skillListSchema,
  },
  readSkill: {
    method: 'get',
    path: '/api/skills/read',
    right: 'tools.call',
    group,
    summary:
      'Reads a file of a skill and verifies it. Administrators can also read a skill that changed, to review the change.',
    query: skillFileQuery,
    answer: skillContentSchema,
    errors: [...readErrors, 'SERVER_PROTOCOL'],
  },
  acceptSkillChange: {
    method: 'post',
    path: '/api/skills/accept',
    right: 'tools.write',
    group,
    summary: 'Accepts a changed skill. Fails if it changed again since it was reviewed.',
    body: acceptSkillSchema,
    answer: skillSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
});
