import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../kernel/json.ts';

/** A stream of server-sent events to one client. A client that leaves too many bytes unread is disconnected. */
export interface EventStream {
  send(message: JsonObject): void;
  end(): void;
  readonly closed: boolean;
}

/** One connection of a stream. */
export interface EventConnection extends EventStream {
  /** Sends an event as it is. */
  write(frame: string): void;
}

export interface EventStreamOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: `JSON.stringify`. */
  readonly stringify?: (message: JsonObject) => string;
  readonly onClose?: () => void;
}

const keepAliveMs = 15_000;
/** The number of unread bytes at which the client is disconnected. */
const maxUnreadBytes = 16 * 1024 * 1024;

export function openEventStream(response: ServerResponse, options: EventStreamOptions = {}): EventConnection {
  const { headers, stringify = JSON.stringify } = options;
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...headers,
  });
  response.flushHeaders();
  let closed = false;
  const keepAlive = setInterval(() => write(': still here\n\n'), keepAliveMs).unref();

  function write(frame: string): void {
    if (closed) return;
    response.write(frame);
    if (response.writableLength > maxUnreadBytes) response.destroy();
  }

  response.once('close', () => {
    closed = true;
    clearInterval(keepAlive);
    options.onClose?.();
  });
  return {
    get closed() {
      return closed;
    },
    write,
    send: (message) => write(toFrame(stringify(message))),
    end() {
      if (closed) return;
      // A write after the end would raise an error on the response.
      closed = true;
      response.end();
    },
  };
}

/** A message as a server-sent event. */
export function toFrame(json: string, id?: string): string {
  return `event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`;
}
