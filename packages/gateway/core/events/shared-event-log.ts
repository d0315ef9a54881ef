import { messageOf } from '../../../contract/errors.ts';
import { parseExactly, toJsonText } from '../../../toolwharf/kernel/exact-json.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { FleetEvents, FleetStore } from '../../../toolwharf/storage/ports/fleet-store.ts';
import type { Ownership } from '../auth/ownership.ts';
import type { Fleet } from '../replicas/fleet.ts';
import { collectEvents, type EventSources, type LoggedEvent, type Publishable } from './collect-events.ts';
import type { EventListener, EventLog, NumberedEvent } from './event-log.ts';

export interface SharedEventLogOptions {
  readonly sources: EventSources;
  readonly store: Pick<
    FleetStore,
    'appendEvents' | 'readEvents' | 'lastEvent' | 'removeEvents' | 'recordListening' | 'sinceListening'
  >;
  readonly fleet: Pick<Fleet, 'onChange' | 'handle' | 'gather' | 'reportAgeMs'>;
  readonly ownership: Pick<Ownership, 'loadOwner'>;
  readonly log: Log;
}

const prefix = 'fleet-';
const listeningMethod = 'events.listening';
const readBatch = 500;
/** A listener that missed more events reloads everything. */
const maxMissed = 1_000;
const maxUnsent = 10_000;
const retryMs = 1_000;
const retentionMs = 600_000;
const removeEveryMs = 60_000;
/** How often a replica with listeners records that it has some. */
const recordEveryMs = 60_000;
/** How long events are stored after the last such record. */
const keepStoringMs = 300_000;
/** Listeners that come back after this time reload everything. Less than above, since replicas learn of each other late. */
const idleMs = 240_000;
/** A replica that has not read changes for this long does not know whether somebody listens. */
const unknownMs = 2_000;
/** How long events wait for others before they are stored together. */
const batchMs = 50;

/**
 * The events of all replicas in one order, stored in their database. A listener can reconnect to any replica. Events are stored
 * only while some replica has listeners, and for some minutes after.
 */
export async function openSharedEventLog(options: SharedEventLogOptions): Promise<EventLog> {
  const { sources, store, fleet, ownership, log } = options;
  const listeners = new Set<EventListener>();
  let unsent: string[] = [];
  let hasLost = false;
  let sending: Promise<void> | undefined;
  let sendTimer: NodeJS.Timeout | undefined;
  let isReading = false;
  let readsAgain = false;
  let isClosed = false;
  let delivered = await store.lastEvent();
  let heardAt = performance.now() - (await store.sinceListening());
  let opening = Promise.resolve();

  /** Another replica, or this one, has listeners. */
  function hear(): void {
    heardAt = Math.max(heardAt, performance.now());
  }

  function hasAudience(): boolean {
    return listeners.size > 0 || performance.now() - heardAt < keepStoringMs || fleet.reportAgeMs > unknownMs;
  }

  /** Records that this replica has listeners. The first ones of the fleet wait until all replicas store events. */
  async function recordListening(isOpening: boolean): Promise<void> {
    const { lastEvent, wasIdle } = await store.recordListening(idleMs);
    hear();
    if (isOpening) delivered = Math.max(delivered, lastEvent);
    if (!wasIdle) return;
    // A replica that does not answer in time knows that it has not read changes for too long.
    await fleet.gather(listeningMethod, {});
    if (!isOpening) for (const listener of [...listeners]) listener(reset);
  }

  async function open(hasFailed = false): Promise<void> {
    if (isClosed || listeners.size === 0) return;
    try {
      await recordListening(true);
      if (hasFailed) for (const listener of [...listeners]) listener(reset);
    } catch (cause) {
      log.debug('events.not-opened', `Other replicas do not know that somebody listens: ${messageOf(cause)}`);
      setTimeout(open, retryMs, true).unref();
    }
  }

  function publish(published: Publishable): void {
    if (isClosed || !hasAudience()) return;
    if (unsent.length >= maxUnsent) {
      hasLost = true;
      return;
    }
    unsent.push(toJsonText(typeof published === 'function' ? published() : published));
    sendAfter(batchMs);
  }

  function sendAfter(delayMs: number): void {
    if (sendTimer || sending) return;
    sendTimer = setTimeout(() => {
      sendTimer = undefined;
      sending = send().finally(() => {
        sending = undefined;
      });
    }, delayMs).unref();
  }

  async function send(): Promise<void> {
    const bodies = unsent;
    unsent = [];
    try {
      await store.appendEvents(hasLost ? [...bodies, JSON.stringify(reset)] : bodies);
      hasLost = false;
      read();
      if (unsent.length > 0) setImmediate(() => sendAfter(batchMs));
    } catch (cause) {
      log.debug('events.not-stored', `Events could not be stored: ${messageOf(cause)}`);
      unsent = [...bodies, ...unsent];
      setImmediate(() => sendAfter(retryMs));
    }
  }

  /** Delivers the events that have been stored since the last read. */
  function read(): void {
    readsAgain = true;
    if (!isReading) void readAll();
  }

  async function readAll(): Promise<void> {
    isReading = true;
    try {
      while (readsAgain && !isClosed) {
        readsAgain = false;
        if (listeners.size === 0) continue;
        await opening;
        const found = await store.readEvents(delivered, readBatch);
        if (found.length === readBatch) readsAgain = true;
        for (const event of await toEvents(found)) for (const listener of [...listeners]) listener(event);
        delivered = found.at(-1)?.seq ?? delivered;
      }
    } catch (cause) {
      log.debug('events.not-read', `Events could not be read: ${messageOf(cause)}`);
    } finally {
      isReading = false;
    }
  }

  async function toEvents(found: FleetEvents): Promise<readonly NumberedEvent[]> {
    const events = found.map(({ seq, body }) => ({ ...(parseExactly(body) as LoggedEvent), id: idOf(seq) }));
    for (const { audience } of events) {
      const conversation = audience.kind === 'owner' ? audience.caller.conversation : undefined;
      if (conversation !== undefined) await ownership.loadOwner(conversation);
    }
    return events;
  }

  const stopCollecting = collectEvents(sources, {
    publish,
    broadcast: (event) => {
      for (const listener of [...listeners]) listener(event);
    },
  });
  fleet.onChange('events', read);
  fleet.onChange('listeners', hear);
  fleet.handle(listeningMethod, async () => {
    hear();
    return {};
  });
  const recording = setInterval(() => {
    if (listeners.size > 0) recordListening(false).catch(() => {});
  }, recordEveryMs).unref();
  const removing = setInterval(() => void store.removeEvents(retentionMs).catch(() => {}), removeEveryMs).unref();
  return {
    publish,
    async since(id) {
      const after = id.startsWith(prefix) ? Number(id.slice(prefix.length)) : Number.NaN;
      if (!Number.isInteger(after) || after < 0) return undefined;
      const last = await store.lastEvent();
      if (after > last || last - after > maxMissed) return undefined;
      const missed = await store.readEvents(after, maxMissed);
      // Some of them have been removed.
      if (missed.length > 0 ? missed[0]?.seq !== after + 1 : last !== after) return undefined;
      return toEvents(missed);
    },
    async opened() {
      await opening;
      return idOf(delivered);
    },
    listen(listener) {
      listeners.add(listener);
      if (listeners.size === 1) opening = open();
      return () => void listeners.delete(listener);
    },
    get listeners() {
      return listeners.size;
    },
    close() {
      isClosed = true;
      clearTimeout(sendTimer);
      clearInterval(removing);
      clearInterval(recording);
      stopCollecting();
    },
  };
}

function idOf(seq: number): string {
  return `${prefix}${seq}`;
}

const reset: LoggedEvent<'reset'> = {
  name: 'reset',
  data: { reason: 'Events were lost while the database could not be reached: reload all data' },
  audience: { kind: 'everyone' },
};
