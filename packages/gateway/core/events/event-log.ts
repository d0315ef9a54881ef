import { randomBytes } from 'node:crypto';
import { collectEvents, type EventSources, type LoggedEvent, type Publishable } from './collect-events.ts';

export interface NumberedEvent extends LoggedEvent {
  /** Undefined for an event that is not kept. */
  readonly id?: string;
}

export type EventListener = (event: NumberedEvent) => void;

/** The events of this process or, in a fleet, of all replicas, numbered, so that listeners can reconnect without missing any. */
export interface EventLog {
  publish(event: Publishable): void;
  /** All events after an id, oldest first; undefined if they are no longer kept or the id belongs to another log. */
  since(id: string): Promise<readonly NumberedEvent[] | undefined>;
  /** Resolves when the listeners receive every later event, with the id of the latest one. */
  opened(): Promise<string>;
  listen(listener: EventListener): () => void;
  readonly listeners: number;
  close(): void;
}

export interface EventLogOptions {
  readonly sources: EventSources;
  /** Number of events kept for listeners that reconnect; 1 000. */
  readonly maxEvents?: number;
  /** How long events are kept after the last listener left; five minutes. */
  readonly retentionMs?: number;
}

/** The log of a process that has its database to itself. */
export function createEventLog({ sources, maxEvents = 1_000, retentionMs = 300_000 }: EventLogOptions): EventLog {
  // Distinguishes ids of this process from those of other processes.
  const epoch = randomBytes(6).toString('hex');
  const events: NumberedEvent[] = [];
  const listeners = new Set<EventListener>();
  let count = 0;
  let lastLeft = Number.NEGATIVE_INFINITY;
  const idOf = (number: number) => `${epoch}-${number}`;

  function publish(published: Publishable): void {
    count++;
    // Without listeners, events would only keep call records in memory.
    if (listeners.size === 0 && performance.now() - lastLeft >= retentionMs) {
      events.length = 0;
      return;
    }
    const logged = typeof published === 'function' ? published() : published;
    const event: NumberedEvent = { ...logged, id: idOf(count) };
    events.push(event);
    // Trimmed in batches, because removing the first item of a long array is slow.
    if (events.length >= 2 * maxEvents) events.splice(0, events.length - maxEvents);
    for (const listener of [...listeners]) listener(event);
  }

  /** Sends an event to current listeners without keeping it. */
  function broadcast(event: LoggedEvent): void {
    for (const listener of [...listeners]) listener(event);
  }

  const stopCollecting = collectEvents(sources, { publish, broadcast });
  return {
    publish,
    async since(id) {
      const [process, number] = id.split('-');
      const after = Number(number);
      if (process !== epoch || !Number.isInteger(after) || after > count || after < 0) return undefined;
      const missed = count - after;
      return missed <= Math.min(events.length, maxEvents) ? events.slice(events.length - missed) : undefined;
    },
    opened: async () => idOf(count),
    listen(listener) {
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener)) lastLeft = performance.now();
      };
    },
    get listeners() {
      return listeners.size;
    },
    close: stopCollecting,
  };
}
