import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { toJsonText } from '../../../toolwharf/kernel/exact-json.ts';
import {
  type MessageConnection,
  type MessageStream,
  type MessageStreamOptions,
  openMessageStream,
  toFrame,
} from './message-stream.ts';
import type { KeptEvent, ReplayMemory } from './replay-memory.ts';

/** `request`: the messages of one request, until its response. `standing`: messages that belong to no request. */
export type StreamKind = 'request' | 'standing';

export type ConnectionOptions = Pick<MessageStreamOptions, 'onClose' | 'stringify'>;

/**
 * The event streams of one session. A client whose connection broke continues a stream on a new connection, after the last
 * event that it received. Messages sent meanwhile are kept, within limits.
 */
export interface ResumableStreams {
  /** Opens a stream. It is `closed` while it has no connection, and stores the messages that are sent meanwhile. */
  open(kind: StreamKind, response: ServerResponse, options?: ConnectionOptions): MessageStream;
  /**
   * Continues the stream of an event. A standing stream that is not known here is opened anew, as after a restart.
   * Undefined if the event belongs to a request whose stream is gone or has lost messages.
   */
  resume(
    lastEventId: string,
    response: ServerResponse,
    options?: ConnectionOptions,
  ): { readonly kind: StreamKind; readonly stream: MessageStream } | undefined;
  /** Keeps a message for the standing stream whose connection was lost, if there is one. */
  keep(message: Parameters<MessageStream['send']>[0]): void;
  /** Whether streams begin with an event without data. */
  readonly primes: boolean;
  /** True while the client has an open connection to any of the streams. */
  readonly isConnected: boolean;
  /** Discards all streams. */
  clear(): void;
}

export interface ResumableStreamsOptions {
  readonly caller: string;
  readonly memory: ReplayMemory;
  /** Whether a stream begins with an event without data, which tells the client where to resume. Clients know this since 2025-11-25. */
  readonly primes: boolean;
  /** How long the latest streams are kept after they were sent to their end; 10 s. */
  readonly sentMs?: number;
  /** Called after a stream got or lost its connection. */
  readonly onConnectionChange?: () => void;
}

interface Stream {
  readonly kind: StreamKind;
  readonly number: number;
  /** The kept events by their number within the stream. */
  readonly events: Map<number, KeptEvent>;
  count: number;
  connection: MessageConnection | undefined;
  hasEnded: boolean;
}

const maxEvents = 256;
const maxStreams = 100;
/** Streams that were sent to their end: the operating system may still have held their last messages when the client left. */
const maxSent = 16;
const retryMs = 1_000;
const eventId = /^(request|standing)\.([\w-]+)\.(\d+)\.(\d+)$/;

export function createResumableStreams(options: ResumableStreamsOptions): ResumableStreams {
  const { caller, memory, primes, sentMs = 10_000, onConnectionChange } = options;
  // Distinguishes the streams of this process from those before a restart and on other replicas.
  const origin = randomBytes(6).toString('base64url');
  const streams = new Map<number, Stream>();
  const sent = new Set<Stream>();
  let sentTimer: NodeJS.Timeout | undefined;
  let opened = 0;

  const idOf = ({ kind, number }: Stream, event: number) => `${kind}.${origin}.${number}.${event}`;

  function drop(stream: Stream, number: number): void {
    const event = stream.events.get(number);
    stream.events.delete(number);
    if (event) memory.discard(event);
  }

  function discard(stream: Stream): void {
    streams.delete(stream.number);
    sent.delete(stream);
    for (const number of [...stream.events.keys()]) drop(stream, number);
  }

  /** Nobody knows whether the client has received the end of a stream, so it can be resumed for a while. */
  function discardLater(stream: Stream): void {
    sent.add(stream);
    for (const oldest of sent) {
      if (sent.size <= maxSent) break;
      discard(oldest);
    }
    sentTimer ??= setTimeout(discardSent, sentMs, new Set(sent)).unref();
  }

  /** Discards what was sent before the timer began, and waits for the rest. */
  function discardSent(before: ReadonlySet<Stream>): void {
    for (const stream of before) if (!stream.connection) discard(stream);
    sentTimer = sent.size > 0 ? setTimeout(discardSent, sentMs, new Set(sent)).unref() : undefined;
  }

  /** Makes room among streams that wait for their client. */
  function discardOldest(): void {
    for (const stream of streams.values()) {
      if (streams.size <= maxStreams) return;
      if (!stream.connection) discard(stream);
    }
  }

  function push(stream: Stream, frame: string): void {
    const number = ++stream.count;
    const event: KeptEvent = { caller, frame, onDrop: () => stream.events.delete(number) };
    stream.events.set(number, event);
    memory.keep(event);
    drop(stream, number - maxEvents);
    stream.connection?.write(frame);
  }

  function connect(stream: Stream, response: ServerResponse, options: ConnectionOptions): void {
    // The client detects a broken connection before the operating system does.
    stream.connection?.end();
    const connection = openMessageStream(response, {
      ...options,
      onClose() {
        options.onClose?.();
        if (stream.connection !== connection) return;
        stream.connection = undefined;
        if (stream.hasEnded && response.writableFinished) discardLater(stream);
        onConnectionChange?.();
      },
    });
    stream.connection = connection;
    onConnectionChange?.();
  }

  function toMessageStream(stream: Stream, { stringify = toJsonText }: ConnectionOptions): MessageStream {
    return {
      get closed() {
        return stream.connection?.closed ?? true;
      },
      send(message) {
        if (!stream.hasEnded) push(stream, toFrame(stringify(message), idOf(stream, stream.count + 1)));
      },
      end() {
        stream.hasEnded = true;
        stream.connection?.end();
      },
    };
  }

  function open(kind: StreamKind, response: ServerResponse, options: ConnectionOptions = {}): MessageStream {
    const stream: Stream = {
      kind,
      number: ++opened,
      events: new Map(),
      count: 0,
      connection: undefined,
      hasEnded: false,
    };
    streams.set(stream.number, stream);
    discardOldest();
    connect(stream, response, options);
    if (primes) stream.connection?.write(`id: ${idOf(stream, 0)}\nretry: ${retryMs}\ndata:\n\n`);
    return toMessageStream(stream, options);
  }

  return {
    primes,
    get isConnected() {
      return [...streams.values()].some(({ connection }) => connection?.closed === false);
    },
    open,
    resume(lastEventId, response, options = {}) {
      const [, kind, from, number, last] = eventId.exec(lastEventId) ?? [];
      const known = from === origin ? streams.get(Number(number)) : undefined;
      if (known?.kind !== 'standing' && lastEventId.startsWith('standing'))
        return { kind: 'standing', stream: open('standing', response, options) };
      const received = Number(last);
      if (!known || known.kind !== kind || received > known.count) return undefined;
      const missed = [...known.events].filter(([event]) => event > received);
      if (kind === 'request' && missed.length < known.count - received) return undefined;
      connect(known, response, options);
      for (const [, { frame }] of missed) known.connection?.write(frame);
      if (known.hasEnded) known.connection?.end();
      return { kind: known.kind, stream: toMessageStream(known, options) };
    },
    keep(message) {
      const waiting = [...streams.values()].findLast(({ kind, hasEnded }) => kind === 'standing' && !hasEnded);
      if (waiting) toMessageStream(waiting, {}).send(message);
    },
    clear() {
      clearTimeout(sentTimer);
      for (const stream of [...streams.values()]) discard(stream);
    },
  };
}
