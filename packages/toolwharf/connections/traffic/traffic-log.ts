import { messageOf } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { shortenJson } from './shorten-json.ts';
import { kindOf, type TrafficDirection, type TrafficEntry, topicOf } from './traffic-entry.ts';

/** The messages of one session. The channel checks `isOn` before it records, so that unwatched messages cost nothing. */
export interface TrafficTap {
  readonly isOn: boolean;
  record(direction: TrafficDirection, message: JsonObject, callId?: string): void;
  /** Records that a message could not be sent. */
  recordFailure(message: JsonObject, cause: unknown): void;
}

/** An item that a watcher of a server's messages receives. */
export interface TrafficWatcher {
  onEntry(entry: TrafficEntry): void;
  onCleared?(): void;
}

/** The latest messages between the gateway and one server. Records only while a client watches, or while recording is enabled. */
export interface TrafficLog {
  /** True if messages are recorded even without watchers. */
  readonly isEnabled: boolean;
  /** The recorded messages, oldest first. */
  entries(): readonly TrafficEntry[];
  /** Records until the returned function is called, and for a moment longer. */
  watch(watcher: TrafficWatcher): () => void;
  setEnabled(enabled: boolean): void;
  clear(): void;
  /** A tap for a new session. `toShown` removes secrets that the redactor does not know. */
  openTap(redactor: Redactor, toShown?: ToShownMessage): TrafficTap;
}

/** The request that a message answers. */
export interface RecordedRequest {
  readonly method: string;
  /** The tool that it calls. */
  readonly tool?: string;
}

/** A message without its secrets. `request` is what it answers, if that was recorded. */
export type ToShownMessage = (message: JsonObject, request: RecordedRequest | undefined) => JsonObject;

export interface TrafficLogOptions {
  readonly clock: Clock;
  /** The room for messages now, in bytes; 4 MiB. */
  readonly maxBytes?: () => number;
  /** Longer messages are truncated; 65 536. */
  readonly maxMessageBytes?: number;
  /** Removes what watchers must not see. */
  readonly redact?: (message: JsonObject) => JsonObject;
}

const maxEntries = 5_000;
/** The memory of an entry beside its text. */
const entryBytes = 300;
const maxPending = 1_000;
const maxMethodLength = 200;

let sessions = 0;
let lastSeq = 0;

/** How long messages are recorded after the last watcher left, so that a reloaded page misses none. */
const lingerMs = 10_000;

export function createTrafficLog(options: TrafficLogOptions): TrafficLog {
  const { clock, maxBytes = () => 4 * 1024 * 1024, maxMessageBytes = 65_536, redact = (message) => message } = options;
  const watchers = new Set<TrafficWatcher>();
  let recorded: TrafficEntry[] = [];
  let bytes = 0;
  let isOn = false;
  let isEnabled = false;
  let lingering: AbortController | undefined;

  function clear(): void {
    recorded = [];
    bytes = 0;
  }

  /** Turns recording on, or off when it is no longer needed. Messages are discarded when it is turned off. */
  function update(): void {
    lingering?.abort();
    lingering = undefined;
    if (isEnabled || watchers.size > 0) {
      isOn = true;
      return;
    }
    if (!isOn) return;
    const linger = new AbortController();
    lingering = linger;
    clock.sleep(lingerMs, linger.signal).then(
      () => {
        isOn = false;
        clear();
      },
      () => {},
    );
  }

  function add(entry: TrafficEntry): void {
    recorded.push(entry);
    bytes += sizeOf(entry);
    const limit = maxBytes();
    let removed = 0;
    while (removed < recorded.length - 1 && (bytes > limit || recorded.length - removed > maxEntries)) {
      bytes -= sizeOf(recorded[removed++] as TrafficEntry);
    }
    if (removed > 0) recorded.splice(0, removed);
    for (const watcher of watchers) watcher.onEntry(entry);
  }

  return {
    get isEnabled() {
      return isEnabled;
    },
    entries: () => recorded,
    watch(watcher) {
      watchers.add(watcher);
      update();
      return () => {
        if (watchers.delete(watcher)) update();
      };
    },
    setEnabled(enabled) {
      isEnabled = enabled;
      update();
    },
    clear() {
      clear();
      for (const watcher of watchers) watcher.onCleared?.();
    },
    openTap(redactor, toShown = (message) => message) {
      const session = ++sessions;
      const pending = { sent: new Map<unknown, Pending>(), received: new Map<unknown, Pending>() };

      function addMessage(
        facts: Pick<TrafficEntry, 'direction' | 'kind' | 'topic'> & Partial<TrafficEntry>,
        message: JsonObject,
      ): void {
        const { value, length, isTruncated } = shortenJson(redact(message), maxMessageBytes, redactor.text);
        const { requestId } = facts;
        add({
          seq: ++lastSeq,
          at: new Date(clock.now()).toISOString(),
          session,
          ...facts,
          requestId: typeof requestId === 'string' ? requestId.slice(0, maxMethodLength) : requestId,
          bytes: length,
          isTruncated: isTruncated || undefined,
          json: JSON.stringify(value),
        });
      }

      return {
        get isOn() {
          return isOn;
        },
        record(direction, message, callId) {
          const kind = kindOf(message);
          const { id } = message;
          const requestId = typeof id === 'string' || typeof id === 'number' ? id : undefined;
          const now = clock.now();
          // A reply belongs to a request of the other side.
          const requests = pending[direction === 'sent' ? 'received' : 'sent'];
          const answered = kind === 'result' || kind === 'error' ? requests.get(requestId) : undefined;
          if (answered) requests.delete(requestId);
          const ownMethod = typeof message.method === 'string' ? message.method.slice(0, maxMethodLength) : undefined;
          const method = ownMethod ?? answered?.method;
          if (kind === 'request' && method !== undefined && pending[direction].size < maxPending)
            pending[direction].set(requestId, { method, tool: toolOf(message), at: now, callId });
          addMessage(
            {
              direction,
              kind,
              topic: topicOf(message, method),
              method,
              requestId,
              callId: callId ?? answered?.callId,
              durationMs: answered && now - answered.at,
            },
            toShown(message, answered),
          );
        },
        recordFailure(message, cause) {
          const requestId = message.id as string | number | undefined;
          const request = pending.sent.get(requestId);
          pending.sent.delete(requestId);
          const method = request?.method ?? (message.method as string | undefined);
          const durationMs = request && clock.now() - request.at;
          addMessage(
            {
              direction: 'sent',
              kind: 'failure',
              topic: 'request',
              method,
              requestId,
              durationMs,
              callId: request?.callId,
            },
            { failure: messageOf(cause) },
          );
        },
      };
    },
  };
}

interface Pending extends RecordedRequest {
  readonly at: number;
  readonly callId?: string;
}

/** The tool that a request calls. */
function toolOf({ method, params }: JsonObject): string | undefined {
  return method === 'tools/call' && isObject(params) && typeof params.name === 'string' ? params.name : undefined;
}

function sizeOf({ json }: TrafficEntry): number {
  return json.length + entryBytes;
}

/** The traffic logs of all servers, by name. They outlive a connection, so that watching continues after a server was edited. */
export interface TrafficLogs {
  of(server: string): TrafficLog;
  remove(server: string): void;
}

/** Creates logs that share 32 MiB. */
export function createTrafficLogs(
  clock: Clock,
  maxTotalBytes = 32 * 1024 * 1024,
  redact?: TrafficLogOptions['redact'],
): TrafficLogs {
  const logs = new Map<string, TrafficLog>();
  const maxBytes = () => {
    const used = [...logs.values()].filter((log) => log.entries().length > 0).length;
    return Math.min(4 * 1024 * 1024, Math.floor(maxTotalBytes / Math.max(1, used)));
  };
  return {
    of(server) {
      const log = logs.get(server) ?? createTrafficLog({ clock, maxBytes, redact });
      logs.set(server, log);
      return log;
    },
    remove: (server) => void logs.delete(server),
  };
}
