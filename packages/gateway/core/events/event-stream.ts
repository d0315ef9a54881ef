import type { ServerResponse } from 'node:http';

/** One server-sent event; `data` is JSON text. */
export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
  readonly id?: string;
}

/** A stream of server-sent events to one client. A client that reads too slowly is disconnected. */
export interface EventStream {
  send(event: ServerSentEvent): void;
  /** Sends text that contains whole events. */
  write(text: string): void;
  end(): void;
  readonly closed: boolean;
}

export interface EventStreamOptions {
  /** More headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long a client should wait before it reconnects; the client's default if absent. */
  readonly retryMs?: number;
  /** Interval of the keep-alive; 15 000. */
  readonly keepAliveMs?: number;
  /** The event that keeps the connection alive; a comment if absent, which scripts in browsers cannot see. */
  readonly keepAlive?: ServerSentEvent;
  /** Unsent bytes at which the client is disconnected; 1 MiB. */
  readonly maxUnsentBytes?: number;
  /** Ends the stream when it aborts. */
  readonly signal?: AbortSignal;
  readonly onClose?: () => void;
}

/** Starts a response with status 200 that stays open until either side ends it. */
export function openEventStream(response: ServerResponse, options: EventStreamOptions = {}): EventStream {
  const { headers, retryMs, keepAliveMs = 15_000, maxUnsentBytes = 1024 * 1024, signal, onClose } = options;
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.flushHeaders();
  let closed = false;

  function write(text: string): void {
    if (closed) return;
    response.write(text);
    if (response.writableLength > maxUnsentBytes) response.destroy();
  }

  function end(): void {
    if (closed) return;
    // A write after the end would raise an error on the response.
    closed = true;
    response.end();
  }

  const keepAliveText = options.keepAlive ? toEventText(options.keepAlive) : ': still here\n\n';
  const keepAlive = setInterval(() => write(keepAliveText), keepAliveMs).unref();
  signal?.addEventListener('abort', end, { once: true });
  response.once('close', () => {
    closed = true;
    clearInterval(keepAlive);
    signal?.removeEventListener('abort', end);
    onClose?.();
  });
  if (retryMs !== undefined) write(`retry: ${retryMs}\n\n`);
  if (signal?.aborted) end();
  return {
    get closed() {
      return closed;
    },
    send: (event) => write(toEventText(event)),
    write,
    end,
  };
}

/** The text of an event in a stream. */
export function toEventText({ name, data, id }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`;
}
