import type { ServerResponse } from 'node:http';
import { type EventStream, type EventStreamOptions, openEventStream } from '../../core/events/event-stream.ts';
import type { CallerUsage } from '../../core/http/limits/limits.ts';
import type { ChatEvent } from './chat.ts';
import type { SharedChat } from './shared-chat.ts';

export interface ServeConversationOptions extends Pick<EventStreamOptions, 'keepAliveMs' | 'maxUnsentBytes'> {
  readonly chat: Pick<SharedChat, 'follow'>;
  readonly usage: Pick<CallerUsage, 'reserve'>;
  readonly stopping: AbortSignal;
}

/** Streams one conversation to a client: a snapshot first, then every change, until either side ends it. */
export async function serveConversation(
  response: ServerResponse,
  id: string,
  options: ServeConversationOptions,
): Promise<void> {
  const { chat, stopping, keepAliveMs, maxUnsentBytes = 1024 * 1024 } = options;
  const slot = options.usage.reserve('streams');
  let stream: EventStream | undefined;
  let unfollow = () => {};
  let isClosed = false;
  const close = () => {
    isClosed = true;
    slot[Symbol.dispose]();
    unfollow();
  };

  function open(snapshot: string): void {
    if (response.destroyed) return;
    stream = openEventStream(response, {
      retryMs: 2_000,
      keepAliveMs,
      // A long conversation must not look like a slow client.
      maxUnsentBytes: maxUnsentBytes + Buffer.byteLength(snapshot),
      signal: stopping,
      onClose: close,
    });
    stream.send({ name: 'snapshot', data: snapshot });
  }

  try {
    unfollow = await chat.follow(id, { onContent: (content) => open(JSON.stringify(content)), onEvent: send });
  } catch (cause) {
    close();
    throw cause;
  }
  // The client may have left meanwhile.
  if (isClosed || !stream) close();

  function send({ kind, ...data }: ChatEvent): void {
    stream?.send({ name: kind, data: JSON.stringify(data) });
    if (kind === 'removed') stream?.end();
  }
}
