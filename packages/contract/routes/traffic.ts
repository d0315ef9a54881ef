import { z } from 'zod';
import { answer, body, isoTime, json, list } from '../api/named.ts';
import { trafficDirections, trafficKinds, trafficTopics } from '../connections.ts';
import { defineRoutes } from './define-routes.ts';

export const trafficMessageSchema = answer(
  'TrafficMessage',
  z.strictObject({
    seq: z.int().describe('Increases from message to message; restarts with the gateway.'),
    at: isoTime,
    session: z.int().describe('Each new connection to the server has its own number.'),
    direction: z.enum(trafficDirections).describe('Seen from the gateway.'),
    kind: z.enum(trafficKinds).describe('`failure`: the message could not be delivered.'),
    topic: z
      .enum(trafficTopics)
      .describe('`question`: sampling, elicitation, roots or other input that the server requests, and its answer.'),
    method: z.string().optional().describe('The method of the message, or of the request that it answers.'),
    requestId: z.union([z.string(), z.number()]).optional(),
    callId: z.string().optional().describe('The call that the request belongs to.'),
    durationMs: z.int().optional().describe('The time between a request and this answer.'),
    bytes: z.int().describe('The approximate size of the whole message.'),
    isTruncated: z.boolean().optional().describe('True if `message` is shortened.'),
    message: json.describe('The JSON-RPC message, with secrets redacted.'),
  }),
);

const trafficSchema = answer(
  'Traffic',
  z.strictObject({
    enabled: z.boolean().describe('True if messages are recorded in the background.'),
    messages: list(trafficMessageSchema).describe('The recorded messages, oldest first.'),
  }),
);

const trafficSettingsSchema = body(
  'TrafficSettings',
  z.strictObject({ enabled: z.boolean().describe('Record messages in the background.') }),
);

const group = 'servers';
const params = z.object({ server: z.string() });
const path = '/api/servers/{server}/traffic';
const shared = { right: 'traffic.read', group, params } as const;

/** The events of the traffic stream, by name. */
export const trafficEvents = {
  ready: answer('TrafficReadyEvent', z.strictObject({ enabled: z.boolean() })),
  message: trafficMessageSchema,
  skipped: answer(
    'TrafficSkippedEvent',
    z.strictObject({ count: z.int().describe('The number of messages left out because the client reads too slowly.') }),
  ),
  cleared: answer('TrafficClearedEvent', z.strictObject({})),
  subscription: answer(
    'ResourceSubscriptionEvent',
    z.strictObject({
      uri: z.string(),
      error: z.string().optional().describe('Why the server did not accept the subscription.'),
    }),
  ),
} as const;

export const trafficRoutes = defineRoutes({
  getTraffic: {
    ...shared,
    method: 'get',
    path,
    summary: 'Returns the recorded JSON-RPC messages between the gateway and a server, with secrets redacted.',
    answer: trafficSchema,
    errors: ['NOT_FOUND'],
  },
  watchTraffic: {
    ...shared,
    method: 'get',
    path: `${path}/events`,
    summary:
      'Streams the JSON-RPC messages between the gateway and a server as server-sent events. Messages are recorded while such a stream is open.',
    query: z.object({
      resources: z
        .string()
        .max(20_000)
        .optional()
        .describe(
          'Up to 50 URIs, separated by spaces. The gateway subscribes to these resources while the stream is open.',
        ),
    }),
    streams: trafficEvents,
    errors: ['NOT_FOUND', 'LIMIT_REACHED', 'OVERLOADED'],
  },
  recordTraffic: {
    ...shared,
    method: 'put',
    path,
    summary: 'Starts or stops recording messages in the background. Stopping discards the messages.',
    body: trafficSettingsSchema,
    errors: ['NOT_FOUND'],
  },
  clearTraffic: {
    ...shared,
    method: 'delete',
    path,
    summary: 'Discards the recorded messages.',
    errors: ['NOT_FOUND'],
  },
});
