import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../kernel/json.ts';
import { toJson } from './kept-json.ts';

/** A stream of messages to one client. What a client does not read is bounded: one that falls too far behind is cut off. */
export interface EventStream {
  send(message: JsonObject): void;
  end(): void;
  readonly closed: boolean;
}

export interface EventStreamOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** 15 000. */
  readonly keepAliveMs?: number;
  /** Unread bytes before the client is cut off; 16 MiB. */
  readonly maxUnreadBytes?: number;
  readonly onClose?: () => void;
}

export function openEventStream(response: ServerResponse, options: EventStreamOptions = {}): EventStream {
  const { headers, keepAliveMs = 15_000, maxUnreadBytes = 16 * 1024 * 1024 } = options;
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
    send: (message) => write(`event: message\ndata: ${toJson(message)}\n\n`),
    end() {
      if (closed) return;
      // What comes later has nobody to hear it, and would break the response.
      closed = true;
      response.end();
    },
  };
}
