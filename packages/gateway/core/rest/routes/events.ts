import type { ServerResponse } from 'node:http';
import { eventRoutes as routes } from '../../../../contract/routes/events.ts';
import { toJsonText } from '../../../../toolwharf/kernel/exact-json.ts';
import type { InternalToolbox } from '../../../../toolwharf/toolbox.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Ownership } from '../../auth/ownership.ts';
import { scopeOf } from '../../auth/profile-scope.ts';
import { showEvent } from '../../events/collect-events.ts';
import type { EventLog, NumberedEvent } from '../../events/event-log.ts';
import { type EventStreamOptions, openEventStream } from '../../events/event-stream.ts';
import type { CallerUsage } from '../../http/limits/limits.ts';
import { implement } from '../route.ts';

export const eventRoutes = [
  implement(routes.listenToEvents, {
    async handle({ incoming, outgoing, identity, usage, query }, { events, toolbox, stopping, security }) {
      const header = incoming.headers['last-event-id'];
      const lastEventId = typeof header === 'string' ? header : query.lastEventId;
      const { ownership } = security;
      await serveEvents(outgoing, identity, { events, toolbox, ownership, stopping, usage, lastEventId });
    },
  }),
];

interface ServeEventsOptions extends Pick<EventStreamOptions, 'keepAliveMs' | 'maxUnsentBytes'> {
  readonly events: EventLog;
  readonly toolbox: InternalToolbox;
  readonly ownership: Pick<Ownership, 'ownsCached'>;
  readonly stopping: AbortSignal;
  readonly usage: Pick<CallerUsage, 'reserve'>;
  readonly lastEventId?: string;
}

/** Streams events to one client until either side ends it. A client that reconnects with the id of its last event misses none. */
async function serveEvents(response: ServerResponse, identity: Identity, options: ServeEventsOptions): Promise<void> {
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

  function send(event: NumberedEvent): void {
    const scope = scopeOf(identity, toolbox.config.profiles, toolbox.isListed);
    const data = showEvent(event, { identity, scope }, options.ownership);
    if (data !== undefined) stream.send({ id: event.id, name: event.name, data: toJsonText(data) });
  }

  // Events that happen while the missed ones are read follow them, and none is sent twice.
  let waiting: NumberedEvent[] | undefined = [];
  const sent = new Set<string | undefined>();
  const sendNew = (event: NumberedEvent) => {
    if (!sent.delete(event.id)) send(event);
  };
  const stopListening = events.listen((event) => (waiting ? void waiting.push(event) : sendNew(event)));
  const latest = await events.opened();
  const missed = lastEventId === undefined ? [] : await events.since(lastEventId).catch(() => undefined);
  for (const event of missed ?? []) {
    send(event);
    sent.add(event.id);
  }
  const reset = { reason: 'Events were missed: reload all data' };
  const id = missed?.at(-1)?.id ?? latest;
  stream.send({ id, name: missed ? 'ready' : 'reset', data: JSON.stringify(missed ? {} : reset) });
  for (const event of waiting) sendNew(event);
  waiting = undefined;
}
