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
    summary: 'Server-sent events: servers, tools, calls, questions. Sent the id of the last one, it goes on after it.',
    query: z.object({
      lastEventId: z.string().optional().describe('Instead of the header `Last-Event-ID`, which wins.'),
    }),
    streams: eventSchemas,
    errors: ['QUEUE_FULL'],
    async handle({ incoming, outgoing, identity, query }, ports) {
      const { events, toolbox, authenticate, stopping } = ports;
      const header = incoming.headers['last-event-id'];
      const lastEventId = typeof header === 'string' ? header : query.lastEventId;
      const resume = lastEventId !== undefined && { lastEventId };
      serveEvents(incoming, outgoing, identity, { events, toolbox, authenticate, stopping, ...resume });
    },
  }),
];
