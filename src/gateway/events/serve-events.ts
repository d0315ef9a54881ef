import type { ServerResponse } from 'node:http';
import type { InternalToolbox } from '../../toolbox.ts';
import type { Identity } from '../auth/identity.ts';
import { scopeOf } from '../auth/profile-scope.ts';
import type { CallerUsage } from '../limits/limits.ts';
import type { EventLog, NumberedEvent } from './event-log.ts';
import { type EventStreamOptions, openEventStream } from './event-stream.ts';

export interface ServeEventsOptions extends Pick<EventStreamOptions, 'keepAliveMs' | 'maxUnsentBytes'> {
  readonly events: EventLog;
  readonly toolbox: InternalToolbox;
  readonly stopping: AbortSignal;
  readonly usage: Pick<CallerUsage, 'reserve'>;
  readonly lastEventId?: string;
}

/** Streams events to one client until either side ends it. A client that reconnects with the id of its last event misses none. */
export function serveEvents(response: ServerResponse, identity: Identity, options: ServeEventsOptions): void {
  const { events, toolbox, stopping, lastEventId, keepAliveMs, maxUnsentBytes } = options;
  const slot = options.usage.reserve('streams');
  const stream = openEventStream(response, {
    retryMs: 2_000,
    keepAliveMs,
    keepAlive: { name: 'alive', data: '{}' },
    maxUnsentBytes,
    signal: stopping,
    onClose() {
      slot[Symbol.dispose]();
      stopListening();
    },
  });

  function send({ id, name, show }: NumberedEvent): void {
    const data = show({ identity, scope: scopeOf(identity, toolbox.config.profiles) });
    if (data !== undefined) stream.send({ id, name, data: JSON.stringify(data) });
  }

  const missed = lastEventId === undefined ? [] : events.since(lastEventId);
  for (const event of missed ?? []) send(event);
  const reset = { reason: 'Events were missed: reload all data' };
  stream.send({ id: events.latest, name: missed ? 'ready' : 'reset', data: JSON.stringify(missed ? {} : reset) });
  const stopListening = events.listen(send);
}
