import { z } from 'zod';
import type { TrafficEntry } from '../../../connections/traffic/traffic-entry.ts';
import { serveTraffic } from '../../traffic/serve-traffic.ts';
import { findServer } from '../access.ts';
import { requestError } from '../request-problems.ts';
import { route } from '../route.ts';
import { trafficEvents, trafficSchema, trafficSettingsSchema } from '../schemas/traffic.ts';

const group = 'servers';
const params = z.object({ server: z.string() });
const path = '/api/servers/{server}/traffic';
const shared = { right: 'admin', group, params, access: findServer } as const;

const maxResources = 50;

export const trafficRoutes = [
  route({
    ...shared,
    operationId: 'getTraffic',
    method: 'get',
    path,
    summary: 'Returns the recorded JSON-RPC messages between the gateway and a server, with secrets redacted.',
    answer: trafficSchema,
    errors: ['NOT_FOUND'],
    async handle({ resource }, { toolbox }) {
      const traffic = toolbox.servers.traffic(resource.name);
      return { enabled: traffic.isEnabled, messages: traffic.entries().map(toMessage) };
    },
  }),
  route({
    ...shared,
    operationId: 'watchTraffic',
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
    async handle({ resource: { name }, query, outgoing, usage, identity: { caller } }, { toolbox, stopping }) {
      serveTraffic(outgoing, {
        traffic: toolbox.servers.traffic(name),
        resources: readUris(query.resources),
        subscribe: (uri) => toolbox.resources.watch(name, uri, { caller }),
        usage,
        stopping,
      });
    },
  }),
  route({
    ...shared,
    operationId: 'recordTraffic',
    method: 'put',
    path,
    summary: 'Starts or stops recording messages in the background. Stopping discards the messages.',
    body: trafficSettingsSchema,
    errors: ['NOT_FOUND'],
    async handle({ resource, body }, { toolbox }) {
      toolbox.servers.traffic(resource.name).setEnabled(body.enabled);
    },
  }),
  route({
    ...shared,
    operationId: 'clearTraffic',
    method: 'delete',
    path,
    summary: 'Discards the recorded messages.',
    errors: ['NOT_FOUND'],
    async handle({ resource }, { toolbox }) {
      toolbox.servers.traffic(resource.name).clear();
    },
  }),
];

function toMessage({ json, ...facts }: TrafficEntry) {
  return { ...facts, message: JSON.parse(json) };
}

function readUris(text = ''): readonly string[] {
  const uris = new Set(text.split(' ').filter((uri) => uri !== ''));
  if (uris.size <= maxResources) return [...uris];
  throw requestError([{ path: 'query.resources', message: `must have at most ${maxResources} URIs` }]);
}
