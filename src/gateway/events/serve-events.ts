import type { IncomingMessage, ServerResponse } from 'node:http';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { Toolbox } from '../../toolbox.ts';
import { type Authenticate, hasRight, type Identity } from '../auth/identity.ts';
import { scopeOf } from '../auth/profile-scope.ts';
import type { EventLog } from './event-log.ts';
import type { NumberedEvent, Viewer } from './logged-event.ts';

export interface ServeEventsOptions {
  readonly events: EventLog;
  readonly toolbox: Toolbox;
  readonly authenticate: Authenticate;
  readonly stopping: AbortSignal;
  /** 15 000. */
  readonly keepAliveMs?: number;
  /** Unread bytes before a reader is cut off; 1 MiB. */
  readonly maxUnreadBytes?: number;
  /** 256. */
  readonly maxListeners?: number;
}

/** Sends events to one reader until either side ends it. Whoever comes back with the id of the last event misses none. */
export function serveEvents(
  request: IncomingMessage,
  response: ServerResponse,
  identity: Identity,
  options: ServeEventsOptions & { readonly lastEventId?: string },
): void {
  const { events, toolbox, stopping, keepAliveMs = 15_000, maxUnreadBytes = 1024 * 1024, maxListeners = 256 } = options;
  if (events.listeners >= maxListeners) throw new ToolwharfError('QUEUE_FULL', 'Too many listen to events already');
  let viewer = toViewer(identity);
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });

  function toViewer(of: Identity): Viewer {
    return { identity: of, scope: scopeOf(of, toolbox.config.profiles) };
  }

  function write(frame: string): void {
    response.write(frame);
    if (response.writableLength > maxUnreadBytes) response.destroy();
  }

  function send({ id, name, show }: NumberedEvent): void {
    const data = show(viewer);
    if (data !== undefined) write(frameOf(id, name, data));
  }

  /** A key may have been revoked, a session be over, a profile have changed. */
  async function recheck(): Promise<void> {
    try {
      const now = await options.authenticate(request);
      if (!now || !hasRight(now, 'read')) return end();
      viewer = toViewer(now);
    } catch {
      end();
    }
  }

  const end = () => void response.end();
  const { lastEventId } = options;
  const missed = lastEventId === undefined ? [] : events.since(lastEventId);
  write('retry: 2000\n\n');
  for (const event of missed ?? []) send(event);
  if (missed) write(frameOf(events.latest, 'ready', {}));
  else write(frameOf(events.latest, 'reset', { reason: 'Events were missed: read everything again' }));

  const stop = events.listen({ onEvent: send, onRecheck: recheck });
  const keepAlive = setInterval(() => {
    write(': still here\n\n');
    void recheck();
  }, keepAliveMs).unref();
  stopping.addEventListener('abort', end, { once: true });
  response.once('close', () => {
    stop();
    clearInterval(keepAlive);
    stopping.removeEventListener('abort', end);
  });
}

function frameOf(id: string | undefined, name: string, data: object): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
