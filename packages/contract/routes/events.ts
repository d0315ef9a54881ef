import { z } from 'zod';
import { eventSchemas } from '../api/events.ts';
import { defineRoutes } from './define-routes.ts';

export const eventRoutes = defineRoutes({
  listenToEvents: {
    method: 'get',
    path: '/api/events',
    right: 'calls.read',
    group: 'events',
    summary:
      'Streams server-sent events about servers, tools, calls, approvals and questions. Resumes after the given event id.',
    query: z.object({
      lastEventId: z.string().optional().describe('Alternative to the header `Last-Event-ID`, which takes precedence.'),
    }),
    streams: eventSchemas,
    errors: ['LIMIT_REACHED', 'OVERLOADED'],
  },
});
