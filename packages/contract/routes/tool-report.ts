import { z } from 'zod';
import { toolReportSchema } from '../api/tool-report.ts';
import { defineRoutes } from './define-routes.ts';

export const toolReportRoutes = defineRoutes({
  reportTools: {
    right: 'tools.write',
    group: 'tools',
    method: 'get',
    path: '/api/tool-report',
    summary:
      'Reports the tools that models confuse, do not understand, cannot be offered or never use, and what they cost.',
    query: z.object({
      days: z.coerce.number().int().min(1).max(366).default(30).describe('The length of the period until now.'),
      server: z.string().optional().describe('Only tools of this server.'),
    }),
    answer: toolReportSchema,
    errors: ['NOT_FOUND'],
  },
});
