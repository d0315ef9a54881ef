import { z } from 'zod';
import { serveEvents } from '../../events/serve-events.ts';
import { route } from '../route.ts';
import { eventSchemas } from '../schemas/events.ts';

export const eventRoutes = [
  route({
    operationId: 'listenToEvents',
    method: 'get',
    path: '/api/events',
    right: 'read',
    group: 'events',
    summary:
      'Streams server-sent events about servers, tools, calls, approvals and questions. Resumes after the given event id.',
    query: z.object({
      lastEventId: z.string().optional().describe('Alternative to the header `Last-Event-ID`, which takes precedence.'),
    }),
    streams: eventSchemas,
    errors: ['LIMIT_REACHED', 'OVERLOADED'],
    async handle({ incoming, outgoing, identity, usage, query }, { events, toolbox, stopping, security }) {
      const header = incoming.headers['last-event-id'];
      const lastEventId = typeof header === 'string' ? header : query.lastEventId;
      const { ownership } = security;
      await serveEvents(outgoing, identity, { events, toolbox, ownership, stopping, usage, lastEventId });
    },
  }),
];
