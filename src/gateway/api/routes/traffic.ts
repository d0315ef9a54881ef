import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import {
  directions,
  type TrafficEntry,
  trafficKinds,
  trafficTopics,
} from '../../../connections/traffic/traffic-entry.ts';
import type { TrafficLog } from '../../../connections/traffic/traffic-log.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { openEventStream } from '../../events/event-stream.ts';
import type { CallerUsage } from '../../limits/limits.ts';
import { findServer } from '../access.ts';
import { requestError } from '../request-problems.ts';
import { route } from '../route.ts';
import { answer, body, isoTime, json, list } from '../schemas/named.ts';

const maxReplayBytes = 512 * 1024;
const maxUnsentBytes = 1024 * 1024;

const trafficMessageSchema = answer(
  'TrafficMessage',
  z.strictObject({
    seq: z.int().describe('Increases from message to message; restarts with the gateway.'),
    at: isoTime,
    session: z.int().describe('Each new connection to the server has its own number.'),
    direction: z.enum(directions).describe('Seen from the gateway.'),
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
const shared = { right: 'admin', group, params, access: findServer } as const;

const maxResources = 50;

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

interface ServeTrafficOptions {
  readonly traffic: TrafficLog;
  /** Resources to subscribe to while the stream is open. */
  readonly resources: readonly string[];
  /** Subscribes to a resource; the returned function unsubscribes. */
  readonly subscribe: (uri: string) => Promise<() => Promise<void>>;
  readonly usage: Pick<CallerUsage, 'reserve'>;
  readonly stopping: AbortSignal;
}

/** Streams the traffic of a server to one client: the latest recorded messages first, then each new one. */
function serveTraffic(response: ServerResponse, options: ServeTrafficOptions): void {
  const { traffic, resources, subscribe, stopping } = options;
  const slot = options.usage.reserve('streams');
  const subscriptions: Promise<(() => Promise<void>) | undefined>[] = [];
  let skipped = 0;
  const stream = openEventStream(response, {
    retryMs: 2_000,
    maxUnsentBytes: 4 * maxUnsentBytes,
    signal: stopping,
    onClose() {
      slot[Symbol.dispose]();
      unwatch();
      for (const subscription of subscriptions) void subscription.then((end) => end?.());
    },
  });
  const send = (name: string, data: object) => stream.send({ name, data: JSON.stringify(data) });

  function sendEntry(entry: TrafficEntry): void {
    // A client that reads too slowly misses messages; the gateway does not collect them for it.
    if (response.writableLength > maxUnsentBytes) {
      skipped++;
      return;
    }
    if (skipped > 0) send('skipped', { count: skipped });
    skipped = 0;
    stream.send({ name: 'message', data: toMessageJson(entry) });
  }

  for (const entry of latest(traffic.entries())) sendEntry(entry);
  send('ready', { enabled: traffic.isEnabled });
  const unwatch = traffic.watch({ onEntry: sendEntry, onCleared: () => send('cleared', {}) });
  for (const uri of resources) {
    subscriptions.push(
      subscribe(uri).then(
        (end) => {
          send('subscription', { uri });
          return end;
        },
        (cause) => void send('subscription', { uri, error: messageOf(cause) }),
      ),
    );
  }
}

/** The latest entries that a client can receive at once. */
function latest(entries: readonly TrafficEntry[]): readonly TrafficEntry[] {
  let bytes = 0;
  const first = entries.findLastIndex(({ json }) => {
    bytes += json.length;
    return bytes > maxReplayBytes;
  });
  return entries.slice(first + 1);
}

function toMessageJson({ json, ...facts }: TrafficEntry): string {
  return `${JSON.stringify(facts).slice(0, -1)},"message":${json}}`;
}
