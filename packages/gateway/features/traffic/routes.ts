import type { ServerResponse } from 'node:http';
import { messageOf } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { trafficRoutes as routes } from '../../../contract/routes/traffic.ts';
import type { TrafficEntry } from '../../../toolwharf/connections/traffic/traffic-entry.ts';
import type { TrafficLog } from '../../../toolwharf/connections/traffic/traffic-log.ts';
import { parseExactly } from '../../../toolwharf/kernel/exact-json.ts';
import { openEventStream } from '../../core/events/event-stream.ts';
import type { CallerUsage } from '../../core/http/limits/limits.ts';
import { findServer } from '../../core/rest/access.ts';
import { requestError } from '../../core/rest/request-problems.ts';
import { implement } from '../../core/rest/route.ts';

const maxReplayBytes = 512 * 1024;
const maxUnsentBytes = 1024 * 1024;

const maxResources = 50;

export const trafficRoutes = [
  implement(routes.getTraffic, {
    access: findServer,
    async handle({ resource }, { toolbox }) {
      const traffic = toolbox.servers.traffic(resource.name);
      return { enabled: traffic.isEnabled, messages: traffic.entries().map(toMessage) };
    },
  }),
  implement(routes.watchTraffic, {
    access: findServer,
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
  implement(routes.recordTraffic, {
    access: findServer,
    async handle({ resource, body }, { toolbox }) {
      toolbox.servers.traffic(resource.name).setEnabled(body.enabled);
    },
  }),
  implement(routes.clearTraffic, {
    access: findServer,
    async handle({ resource }, { toolbox }) {
      toolbox.servers.traffic(resource.name).clear();
    },
  }),
];

function toMessage({ json, ...facts }: TrafficEntry) {
  return { ...facts, message: parseExactly(json) as JsonObject };
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
      for (const subscription of subscriptions) subscription.then((end) => end?.()).catch(() => {});
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
