import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InternalToolbox } from '../../toolbox.ts';
import { type Authenticate, hasRight, type Identity } from '../auth/identity.ts';
import { scopeOf } from '../auth/profile-scope.ts';
import type { CallerUsage } from '../limits/limits.ts';
import type { Viewer } from './collect-events.ts';
import type { EventLog, NumberedEvent } from './event-log.ts';
import { type EventStreamOptions, openEventStream } from './event-stream.ts';

export interface ServeEventsOptions extends Pick<EventStreamOptions, 'keepAliveMs' | 'maxUnsentBytes'> {
  readonly events: EventLog;
  readonly toolbox: InternalToolbox;
  readonly authenticate: Authenticate;
  readonly stopping: AbortSignal;
  readonly usage: Pick<CallerUsage, 'reserve'>;
  readonly lastEventId?: string;
}

/** Streams events to one client until either side ends it. A client that reconnects with the id of its last event misses none. */
export function serveEvents(
  request: IncomingMessage,
  response: ServerResponse,
  identity: Identity,
  options: ServeEventsOptions,
): void {
  const { events, toolbox, stopping, lastEventId, keepAliveMs, maxUnsentBytes } = options;
  const slot = options.usage.reserve('streams');
  let viewer = toViewer(identity);
  const stream = openEventStream(response, {
    retryMs: 2_000,
    keepAliveMs,
    maxUnsentBytes,
    signal: stopping,
    onKeepAlive: () => void recheckAccess(),
    onClose() {
      slot[Symbol.dispose]();
      stopListening();
    },
  });

  function toViewer(of: Identity): Viewer {
    return { identity: of, scope: scopeOf(of, toolbox.config.profiles) };
  }

  function send({ id, name, show }: NumberedEvent): void {
    const data = show(viewer);
    if (data !== undefined) stream.send({ id, name, data: JSON.stringify(data) });
  }

  /** Ends the stream if the key was revoked, the session expired or the profile was removed. */
  async function recheckAccess(): Promise<void> {
    try {
      const current = await options.authenticate(request);
      if (!current || !hasRight(current, 'read')) return stream.end();
      viewer = toViewer(current);
    } catch {
      stream.end();
    }
  }

  const missed = lastEventId === undefined ? [] : events.since(lastEventId);
  for (const event of missed ?? []) send(event);
  const reset = { reason: 'Events were missed: reload all data' };
  stream.send({ id: events.latest, name: missed ? 'ready' : 'reset', data: JSON.stringify(missed ? {} : reset) });
  const stopListening = events.listen({ onEvent: send, onRecheckAccess: recheckAccess });
}
