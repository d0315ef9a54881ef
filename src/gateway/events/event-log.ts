import { randomBytes } from 'node:crypto';
import { collectEvents, type EventSources } from './collect-events.ts';
import type { LoggedEvent, NumberedEvent, Publishable } from './logged-event.ts';

export interface EventListener {
  onEvent(event: NumberedEvent): void;
  /** Someone's access may have ended: look again. */
  onRecheck(): Promise<void>;
}

/** The latest events with their numbers, for those who listen and those who come back. */
export interface EventLog {
  publish(event: Publishable): void;
  /** Everything after an id, oldest first; undefined when that is too long ago, was not kept, or is of another process. */
  since(id: string): readonly NumberedEvent[] | undefined;
  /** The id of the latest event. */
  readonly latest: string;
  listen(listener: EventListener): () => void;
  readonly listeners: number;
  /** Has every listener look whether it may still listen. */
  recheck(): Promise<void>;
  close(): void;
}

export interface EventLogOptions {
  readonly sources: EventSources;
  /** Events kept for those who come back; 1 000. */
  readonly maxEvents?: number;
  /** How long after the last listener left they are kept; five minutes. Who comes later reads everything again. */
  readonly keepMs?: number;
}

export function createEventLog({ sources, maxEvents = 1_000, keepMs = 300_000 }: EventLogOptions): EventLog {
  // Ids of another process mean nothing here, and must not be taken for ours.
  const epoch = randomBytes(6).toString('hex');
  const events: NumberedEvent[] = [];
  const listeners = new Set<EventListener>();
  let count = 0;
  let lastLeft = Number.NEGATIVE_INFINITY;
  const idOf = (number: number) => `${epoch}-${number}`;

  function publish(published: Publishable): void {
    count++;
    // Most gateways have nobody who looks on. Their calls should not be kept alive for nobody.
    if (listeners.size === 0 && performance.now() - lastLeft >= keepMs) {
      events.length = 0;
      return;
    }
    const { name, show } = typeof published === 'function' ? published() : published;
    const event: NumberedEvent = { id: idOf(count), name, show };
    events.push(event);
    // In one go now and then: taking the first of a long list away each time would move all the others.
    if (events.length >= 2 * maxEvents) events.splice(0, events.length - maxEvents);
    for (const listener of [...listeners]) listener.onEvent(event);
  }

  /** Only for those who listen now: soon it is of no use any more. */
  function mention(event: LoggedEvent): void {
    for (const listener of [...listeners]) listener.onEvent(event);
  }

  const end = collectEvents(sources, { publish, mention });
  return {
    publish,
    since(id) {
      const [process, number] = id.split('-');
      const after = Number(number);
      if (process !== epoch || !Number.isInteger(after) || after > count || after < 0) return undefined;
      const missed = count - after;
      return missed <= Math.min(events.length, maxEvents) ? events.slice(events.length - missed) : undefined;
    },
    get latest() {
      return idOf(count);
    },
    listen(listener) {
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener)) lastLeft = performance.now();
      };
    },
    get listeners() {
      return listeners.size;
    },
    async recheck() {
      await Promise.all([...listeners].map((listener) => listener.onRecheck()));
    },
    close: end,
  };
}
