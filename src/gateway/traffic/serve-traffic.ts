import type { ServerResponse } from 'node:http';
import type { TrafficEntry } from '../../connections/traffic/traffic-entry.ts';
import type { TrafficLog } from '../../connections/traffic/traffic-log.ts';
import { messageOf } from '../../kernel/errors.ts';
import { openEventStream } from '../events/event-stream.ts';
import type { CallerUsage } from '../limits/limits.ts';

export interface ServeTrafficOptions {
  readonly traffic: TrafficLog;
  /** Resources to subscribe to while the stream is open. */
  readonly resources: readonly string[];
  /** Subscribes to a resource; the returned function unsubscribes. */
  readonly subscribe: (uri: string) => Promise<() => Promise<void>>;
  readonly usage: Pick<CallerUsage, 'reserve'>;
  readonly stopping: AbortSignal;
}

const maxReplayBytes = 512 * 1024;
const maxUnsentBytes = 1024 * 1024;

/** Streams the traffic of a server to one client: the latest recorded messages first, then each new one. */
export function serveTraffic(response: ServerResponse, options: ServeTrafficOptions): void {
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
