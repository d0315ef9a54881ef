import type { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import { type NotificationThrottle, readThrottled } from '../notification-throttle.ts';
import type { ReplyMeter } from '../request-host.ts';
import type { BodyMeter } from './body-meter.ts';

/** The unread body of an event stream. */
export interface EventStreamBody {
  readonly body: Readable;
  /** Limits the size of each event. */
  readonly meter?: BodyMeter;
  /** Describes a broken body. */
  readonly toError?: (cause: unknown) => unknown;
}

/** One server-sent event. */
export interface StreamEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

export interface EventStreamOptions {
  readonly throttle: NotificationThrottle;
  /** Counts the bytes while they are received. */
  readonly reply?: ReplyMeter;
  readonly onEvent: (event: StreamEvent) => void;
  /** The server asks for this delay before a reconnect. */
  readonly onRetry: (delayMs: number) => void;
  /** Called once, when nothing more arrives; with a cause if the stream broke. */
  readonly onEnd: (cause?: unknown) => void;
}

/** Reads server-sent events until the stream ends, breaks or is destroyed. */
export function readEventStream(
  { body, meter, toError = (cause) => cause }: EventStreamBody,
  { throttle, reply, onEvent, onRetry, onEnd }: EventStreamOptions,
): void {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent, onRetry });
  let hasEnded = false;

  function end(cause?: unknown): void {
    if (hasEnded) return;
    hasEnded = true;
    onEnd(cause === undefined ? undefined : toError(cause));
  }

  function push(piece: Buffer): void {
    if (hasEnded) return;
    try {
      meter?.(piece);
      reply?.receive(piece);
      parser.feed(decoder.decode(piece, { stream: true }));
    } catch (cause) {
      end(cause);
      body.destroy();
    }
  }

  body.on('end', () => end());
  body.on('error', end);
  body.on('close', () => end(body.errored ?? (body.readableEnded ? undefined : new Error('The stream was closed'))));
  // A body that broke before now emits no second error.
  if (body.destroyed) end(body.errored ?? new Error('The connection was closed'));
  else readThrottled(body, push, throttle);
}
