import { ToolwharfError } from '../kernel/errors.ts';
import { createLinkedQueue, type LinkedQueue, type QueueEntry } from '../kernel/linked-queue.ts';
import { createMinHeap, type MinHeap } from '../kernel/min-heap.ts';

/** A place to run. Disposing frees it; doing so twice changes nothing. */
export interface Permit extends Disposable {
  readonly key: string;
}

export interface PermitLimits {
  /** Places over all keys. */
  readonly maxConcurrent: number;
  /** Takers that may wait; one more is refused. */
  readonly maxQueued: number;
}

export interface PermitStats {
  readonly running: number;
  readonly queued: number;
  /** Only keys that run or wait. */
  readonly byKey: ReadonlyMap<string, { readonly running: number; readonly queued: number }>;
}

/** Places for calls: at most `maxConcurrent` at a time, and per key at most what its last taker said. */
export interface Permits {
  /**
   * Resolves when there is a place. The longest-waiting taker that may run is next: within a key that is first come, first
   * served, and a key that is full holds up nobody else. An aborted signal leaves the queue at once and rejects with its reason.
   */
  acquire(key: string, maxInstances: number, options?: { readonly signal?: AbortSignal }): Promise<Permit>;
  /** A place if there is one right now. */
  tryAcquire(key: string, maxInstances: number): Permit | undefined;
  /** For a changed configuration. Running calls are never stopped; more places are filled at once. */
  setLimits(limits: PermitLimits): void;
  stats(): PermitStats;
}

interface Waiter {
  readonly order: number;
  readonly place: Place;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (permit: Permit) => void;
  readonly reject: (reason: unknown) => void;
  entry?: QueueEntry<Waiter>;
}

/** One key: who runs and who waits. */
interface Place {
  readonly key: string;
  readonly waiting: LinkedQueue<Waiter>;
  running: number;
  maxInstances: number;
  isOffered: boolean;
}

export function createPermits(initial: PermitLimits): Permits {
  let limits = initial;
  let running = 0;
  let queued = 0;
  let order = 0;
  const places = new Map<string, Place>();
  // The keys that may have someone to serve, by how long their first has waited.
  const offered: MinHeap<Place> = createMinHeap();
  const bySignal = new Map<AbortSignal, { readonly waiters: Set<Waiter>; readonly onAbort: () => void }>();

  function acquire(
    key: string,
    maxInstances: number,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Permit> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const place = placeOf(key);
    if (place.maxInstances !== maxInstances) {
      place.maxInstances = maxInstances;
      offer(place);
      serve();
    }
    if (running < limits.maxConcurrent && place.running < maxInstances) return Promise.resolve(grant(place));
    if (queued >= limits.maxQueued) {
      forget(place);
      return Promise.reject(queueFull(key, limits));
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { order: order++, place, signal, resolve, reject };
      waiter.entry = place.waiting.push(waiter);
      queued++;
      watch(waiter);
      offer(place);
    });
  }

  function tryAcquire(key: string, maxInstances: number): Permit | undefined {
    const place = placeOf(key);
    // Whoever waits already is first, and a changed limit may let some of them go.
    const isFree = running < limits.maxConcurrent && place.running < maxInstances;
    if (isFree && place.waiting.size === 0 && (place.maxInstances === maxInstances || place.running === 0)) {
      place.maxInstances = maxInstances;
      return grant(place);
    }
    forget(place);
    return undefined;
  }

  function placeOf(key: string): Place {
    const known = places.get(key);
    if (known) return known;
    const place: Place = { key, waiting: createLinkedQueue(), running: 0, maxInstances: 0, isOffered: false };
    places.set(key, place);
    return place;
  }

  function grant(place: Place): Permit {
    running++;
    place.running++;
    let isHeld = true;
    return {
      key: place.key,
      [Symbol.dispose]() {
        if (!isHeld) return;
        isHeld = false;
        running--;
        place.running--;
        offer(place);
        serve();
        forget(place);
      },
    };
  }

  function offer(place: Place): void {
    const first = place.waiting.first;
    if (place.isOffered || first === undefined || place.running >= place.maxInstances) return;
    place.isOffered = true;
    offered.push(first.order, place);
  }

  function serve(): void {
    while (running < limits.maxConcurrent) {
      const next = offered.pop();
      if (next === undefined) return;
      const place = next.value;
      place.isOffered = false;
      const first = place.waiting.first;
      if (first !== undefined && first.order === next.key && place.running < place.maxInstances) {
        leave(first);
        first.resolve(grant(place));
      }
      // Also when the one that was offered has left the queue: the next of its key is offered by its own age.
      offer(place);
      forget(place);
    }
  }

  function leave(waiter: Waiter): void {
    if (!waiter.entry) return;
    waiter.place.waiting.remove(waiter.entry);
    waiter.entry = undefined;
    queued--;
    unwatch(waiter);
  }

  function forget(place: Place): void {
    if (place.running === 0 && place.waiting.size === 0 && !place.isOffered) places.delete(place.key);
  }

  // One listener for each signal, not for each waiter: an event target searches its list on every change.
  function watch(waiter: Waiter): void {
    const { signal } = waiter;
    if (!signal) return;
    const known = bySignal.get(signal);
    if (known) return void known.waiters.add(waiter);
    const waiters = new Set([waiter]);
    const onAbort = () => {
      for (const waiting of waiters) {
        leave(waiting);
        forget(waiting.place);
        waiting.reject(signal.reason);
      }
    };
    bySignal.set(signal, { waiters, onAbort });
    signal.addEventListener('abort', onAbort, { once: true });
  }

  function unwatch(waiter: Waiter): void {
    const { signal } = waiter;
    const watched = signal && bySignal.get(signal);
    if (!signal || !watched) return;
    watched.waiters.delete(waiter);
    if (watched.waiters.size > 0) return;
    bySignal.delete(signal);
    signal.removeEventListener('abort', watched.onAbort);
  }

  return {
    acquire,
    tryAcquire,
    setLimits(changed) {
      limits = changed;
      serve();
    },
    stats: () => ({
      running,
      queued,
      byKey: new Map(
        [...places.values()]
          .filter((place) => place.running > 0 || place.waiting.size > 0)
          .map((place) => [place.key, { running: place.running, queued: place.waiting.size }]),
      ),
    }),
  };
}

/** Two sets of places seen as one; no key is in both. */
export function joinStats(one: PermitStats, other: PermitStats): PermitStats {
  return {
    running: one.running + other.running,
    queued: one.queued + other.queued,
    byKey: new Map([...one.byKey, ...other.byKey]),
  };
}

function queueFull(key: string, { maxConcurrent, maxQueued }: PermitLimits): ToolwharfError {
  return new ToolwharfError(
    'QUEUE_FULL',
    `${key} was not called: ${maxConcurrent} calls may run at a time and ${maxQueued} already wait for a place. Try again later, or raise max_concurrent, max_instances or max_queued.`,
    { data: { key, maxConcurrent, maxQueued } },
  );
}
