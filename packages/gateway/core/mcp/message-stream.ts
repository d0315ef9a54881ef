import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../../contract/json.ts';
import { toJsonText, toLine } from '../../../toolwharf/kernel/exact-json.ts';
import { type EventStreamOptions, openEventStream, toEventText } from '../events/event-stream.ts';

/** A stream of messages to one client. A client that leaves too many bytes unread is disconnected. */
export interface MessageStream {
  send(message: JsonObject): void;
  end(): void;
  readonly closed: boolean;
}

/** One connection of a stream. */
export interface MessageConnection extends MessageStream {
  /** Sends an event as it is. */
  write(frame: string): void;
}

export interface MessageStreamOptions extends Pick<EventStreamOptions, 'headers' | 'onClose'> {
  /** Default: `toJsonText`. */
  readonly stringify?: (message: JsonObject) => string;
}

/** Large enough for the largest result. */
const maxUnsentBytes = 16 * 1024 * 1024;

/** Starts a response with status 200 in which every message is a server-sent event. */
export function openMessageStream(response: ServerResponse, options: MessageStreamOptions = {}): MessageConnection {
  const { headers, onClose, stringify = toJsonText } = options;
  const stream = openEventStream(response, { headers, onClose, maxUnsentBytes });
  return {
    get closed() {
      return stream.closed;
    },
    write: stream.write,
    send: (message) => stream.write(toFrame(stringify(message))),
    end: stream.end,
  };
}

/** A message as a server-sent event. */
export function toFrame(json: string, id?: string): string {
  return toEventText({ name: 'message', data: toLine(json), id });
}
