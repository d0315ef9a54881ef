import type { ServerResponse } from 'node:http';
import type { Chat, ChatEvent } from '../../chat/chat.ts';
import { noConversation } from '../../storage/ports/conversation-store.ts';
import { type EventStream, type EventStreamOptions, openEventStream } from '../events/event-stream.ts';
import type { CallerUsage } from '../limits/limits.ts';

export interface ServeConversationOptions extends Pick<EventStreamOptions, 'keepAliveMs' | 'maxUnsentBytes'> {
  readonly chat: Pick<Chat, 'read' | 'watch'>;
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
  let stream: EventStream | undefined;
  // Events before the snapshot are part of it.
  const unwatch = chat.watch(id, (event) => send(event));
  const content = await chat.read(id).catch((cause) => {
    unwatch();
    throw cause;
  });
  if (!content || response.destroyed) {
    unwatch();
    if (response.destroyed) return;
    throw noConversation(id);
  }
  const slot = reserveStream(options.usage, unwatch);
  const snapshot = JSON.stringify(content);
  stream = openEventStream(response, {
    retryMs: 2_000,
    keepAliveMs,
    // A long conversation must not look like a slow client.
    maxUnsentBytes: maxUnsentBytes + Buffer.byteLength(snapshot),
    signal: stopping,
    onClose() {
      slot[Symbol.dispose]();
      unwatch();
    },
  });
  stream.send({ name: 'snapshot', data: snapshot });

  function send({ kind, ...data }: ChatEvent): void {
    stream?.send({ name: kind, data: JSON.stringify(data) });
    if (kind === 'removed') stream?.end();
  }
}

function reserveStream(usage: Pick<CallerUsage, 'reserve'>, onRefused: () => void): Disposable {
  try {
    return usage.reserve('streams');
  } catch (cause) {
    onRefused();
    throw cause;
  }
}
