import type { ServerResponse } from 'node:http';
import type { Chat, ChatEvent } from '../../chat/chat.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { EventLog } from '../events/event-log.ts';

export interface ServeConversationOptions {
  readonly chat: Pick<Chat, 'read' | 'watch'>;
  /** Says when to look whether someone may still watch. */
  readonly events: Pick<EventLog, 'listen' | 'listeners'>;
  /** May this request still be served? */
  readonly mayWatch: () => Promise<boolean>;
  readonly stopping: AbortSignal;
  /** 15 000. */
  readonly keepAliveMs?: number;
  /** Unread bytes, besides the beginning, before a reader is cut off; 1 MiB. */
  readonly maxUnreadBytes?: number;
  /** Together with those who listen to all events; 256. */
  readonly maxListeners?: number;
}

/** Sends one conversation to a reader: first all of it, then everything that happens in it, until either side ends it. */
export async function serveConversation(
  response: ServerResponse,
  id: string,
  options: ServeConversationOptions,
): Promise<void> {
  const { chat, events, stopping } = options;
  const { keepAliveMs = 15_000, maxUnreadBytes = 1024 * 1024, maxListeners = 256 } = options;
  if (events.listeners >= maxListeners) throw new ToolwharfError('QUEUE_FULL', 'Too many listen to events already');
  let isBegun = false;
  const unwatch = chat.watch(id, (event) => {
    // What is heard before the beginning is in it.
    if (isBegun) send(event);
  });
  const found = await chat.read(id).catch((cause) => {
    unwatch();
    throw cause;
  });
  if (!found || response.destroyed) {
    unwatch();
    if (response.destroyed) return;
    throw new ToolwharfError('NOT_FOUND', `There is no conversation '${id}'`);
  }
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  const beginning = `retry: 2000\n\n${frameOf('snapshot', found)}`;
  // A long conversation is no sign of a slow reader.
  const limit = maxUnreadBytes + Buffer.byteLength(beginning);
  isBegun = true;
  write(beginning);

  function write(frame: string): void {
    if (response.writableEnded || response.destroyed) return;
    response.write(frame);
    if (response.writableLength > limit) response.destroy();
  }

  function send({ kind, ...data }: ChatEvent): void {
    write(frameOf(kind, data));
    if (kind === 'removed') end();
  }

  async function recheck(): Promise<void> {
    if (!(await options.mayWatch().catch(() => false))) end();
  }

  const end = () => void response.end();
  const unlisten = events.listen({ onEvent: () => {}, onRecheck: recheck });
  const keepAlive = setInterval(() => {
    write(': still here\n\n');
    void recheck();
  }, keepAliveMs).unref();
  stopping.addEventListener('abort', end, { once: true });
  if (stopping.aborted) end();
  response.once('close', () => {
    unwatch();
    unlisten();
    clearInterval(keepAlive);
    stopping.removeEventListener('abort', end);
  });
}

function frameOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
