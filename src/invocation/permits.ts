import { ToolwharfError } from '../kernel/errors.ts';
import { createLinkedQueue, type LinkedQueue, type QueueEntry } from '../kernel/linked-queue.ts';
import { createMinHeap, type MinHeap } from '../kernel/min-heap.ts';

/** The right to run one call. Disposing releases it; disposing twice has no effect. */
export interface Permit extends Disposable {
  readonly key: string;
}

export interface PermitLimits {
  /** Permits over all keys. */
  readonly maxConcurrent: number;
  /** Waiters in the queue; one more is refused with `QUEUE_FULL`. */
  readonly maxQueued: number;
}

/** Limits on the calls of one caller. */
export interface CallerLimits {
  readonly maxRunning: number;
  readonly maxQueued: number;
}

/** How many calls run and wait, in total and by tool. */
export interface PermitStats {
  readonly running: number;
  readonly queued: number;
  /** Only keys with running or queued calls. */
  readonly byKey: ReadonlyMap<string, { readonly running: number; readonly queued: number }>;
}

/** A keyed semaphore: at most `maxConcurrent` permits in total, and per key at most the `maxInstances` of its latest call. */
export interface Permits {
  /**
   * Resolves when a permit is free. The oldest waiter whose key has room is next: FIFO within a key, and a key without room does
   * not block other keys. When the signal aborts, the waiter leaves the queue at once and rejects with the signal's reason.
   */
  acquire(key: string, maxInstances: number, options?: { readonly signal?: AbortSignal }): Promise<Permit>;
  /** A permit if one is free now and nobody waits for this key. */
  tryAcquire(key: string, maxInstances: number): Permit | undefined;
  /** Applies changed limits. Running calls continue; permits that become available are granted at once. */
  setLimits(limits: PermitLimits): void;
  stats(): PermitStats;
}

interface Waiter {
  /** Position in the order of arrival, over all keys. */
  readonly order: number;
  readonly group: Group;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (permit: Permit) => void;
  readonly reject: (reason: unknown) => void;
  entry?: QueueEntry<Waiter>;
}

/** The running calls and waiters of one key. */
interface Group {
  readonly key: string;
  readonly waiters: LinkedQueue<Waiter>;
  running: number;
  maxInstances: number;
  /** True while the group is in the heap of candidates. */
  isCandidate: boolean;
}

export function createPermits(initial: PermitLimits): Permits {
  let limits = initial;
  let running = 0;
  let queued = 0;
  let nextOrder = 0;
  const groups = new Map<string, Group>();
  /** Groups that may have a waiter to grant a permit to, ordered by the arrival of their first waiter. */
  const candidates: MinHeap<Group> = createMinHeap();
  const bySignal = new Map<AbortSignal, { readonly waiters: Set<Waiter>; readonly onAbort: () => void }>();

  function acquire(
    key: string,
    maxInstances: number,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Permit> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const group = groupOf(key);
    if (group.maxInstances !== maxInstances) {
      group.maxInstances = maxInstances;
      addCandidate(group);
      grantWaiters();
    }
    if (running < limits.maxConcurrent && group.running < maxInstances) return Promise.resolve(grant(group));
    if (queued >= limits.maxQueued) {
      deleteIfEmpty(group);
      return Promise.reject(queueFull(key, limits));
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { order: nextOrder++, group, signal, resolve, reject };
      waiter.entry = group.waiters.push(waiter);
      queued++;
      listenForAbort(waiter);
      addCandidate(group);
    });
  }

  function tryAcquire(key: string, maxInstances: number): Permit | undefined {
    const group = groupOf(key);
    const isFree = running < limits.maxConcurrent && group.running < maxInstances;
    // A changed limit may allow earlier waiters to run first; `acquire` handles that.
    if (isFree && group.waiters.size === 0 && (group.maxInstances === maxInstances || group.running === 0)) {
      group.maxInstances = maxInstances;
      return grant(group);
    }
    deleteIfEmpty(group);
    return undefined;
  }

  function groupOf(key: string): Group {
    const known = groups.get(key);
    if (known) return known;
    const group: Group = { key, waiters: createLinkedQueue(), running: 0, maxInstances: 0, isCandidate: false };
    groups.set(key, group);
    return group;
  }

  function grant(group: Group): Permit {
    running++;
    group.running++;
    let isHeld = true;
    return {
      key: group.key,
      [Symbol.dispose]() {
        if (!isHeld) return;
        isHeld = false;
        running--;
        group.running--;
        addCandidate(group);
        grantWaiters();
        deleteIfEmpty(group);
      },
    };
  }

  function addCandidate(group: Group): void {
    const first = group.waiters.first;
    if (group.isCandidate || first === undefined || group.running >= group.maxInstances) return;
    group.isCandidate = true;
    candidates.push(first.order, group);
  }

  function grantWaiters(): void {
    while (running < limits.maxConcurrent) {
      const next = candidates.pop();
      if (next === undefined) return;
      const group = next.value;
      group.isCandidate = false;
      const first = group.waiters.first;
      if (first !== undefined && first.order === next.key && group.running < group.maxInstances) {
        dequeue(first);
        first.resolve(grant(group));
      }
      // If the waiter that made the group a candidate has left, its next waiter competes with its own order.
      addCandidate(group);
      deleteIfEmpty(group);
    }
  }

  function dequeue(waiter: Waiter): void {
    if (!waiter.entry) return;
    waiter.group.waiters.remove(waiter.entry);
    waiter.entry = undefined;
    queued--;
    stopListening(waiter);
  }

  function deleteIfEmpty(group: Group): void {
    if (group.running === 0 && group.waiters.size === 0 && !group.isCandidate) groups.delete(group.key);
  }

  // One listener per signal instead of one per waiter: an event target searches its listeners on every change.
  function listenForAbort(waiter: Waiter): void {
    const { signal } = waiter;
    if (!signal) return;
    const known = bySignal.get(signal);
    if (known) return void known.waiters.add(waiter);
    const waiters = new Set([waiter]);
    const onAbort = () => {
      for (const aborted of waiters) {
        dequeue(aborted);
        deleteIfEmpty(aborted.group);
        aborted.reject(signal.reason);
      }
    };
    bySignal.set(signal, { waiters, onAbort });
    signal.addEventListener('abort', onAbort, { once: true });
  }

  function stopListening(waiter: Waiter): void {
    const { signal } = waiter;
    const known = signal && bySignal.get(signal);
    if (!signal || !known) return;
    known.waiters.delete(waiter);
    if (known.waiters.size > 0) return;
    bySignal.delete(signal);
    signal.removeEventListener('abort', known.onAbort);
  }

  return {
    acquire,
    tryAcquire,
    setLimits(changed) {
      limits = changed;
      grantWaiters();
    },
    stats: () => ({
      running,
      queued,
      byKey: new Map(
        [...groups.values()]
          .filter((group) => group.running > 0 || group.waiters.size > 0)
          .map((group) => [group.key, { running: group.running, queued: group.waiters.size }]),
      ),
    }),
  };
}

/** The sum of two stats that have no key in common. */
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
    `${key} was not called: ${maxConcurrent} calls may run at a time and ${maxQueued} are already queued. Try again later, or raise max_concurrent, max_instances or max_queued.`,
    { data: { key, maxConcurrent, maxQueued } },
  );
}
