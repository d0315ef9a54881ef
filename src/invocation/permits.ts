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
  /** One more is refused with `LIMIT_REACHED`. */
  readonly maxQueued: number;
}

/** The caller that a permit is for. */
export interface PermitCaller {
  readonly id: string;
  readonly limits?: CallerLimits;
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
   * Resolves when a permit is free. Callers are served in turn (start-time fair queueing), the waiters of one caller in
   * the order of their arrival; a key or caller at its limit does not block others. When the signal aborts, the waiter
   * leaves the queue at once and rejects with the signal's reason.
   */
  acquire(key: string, maxInstances: number, options?: AcquireOptions): Promise<Permit>;
  /** A permit if one is free now and the caller waits for none of this key. */
  tryAcquire(key: string, maxInstances: number, caller?: PermitCaller): Permit | undefined;
  /** Applies changed limits. Running calls continue; permits that become available are granted at once. */
  setLimits(limits: PermitLimits): void;
  stats(): PermitStats;
  /** The number of refused waiters: at the limit of a caller, or of all callers. */
  readonly refusals: { readonly caller: number; readonly total: number };
}

export interface AcquireOptions {
  readonly signal?: AbortSignal;
  /** All calls without a caller count as calls of one caller. */
  readonly caller?: PermitCaller;
}

interface Waiter {
  /** The virtual time at which its turn comes. It rises with each waiter of the same caller. */
  readonly turn: number;
  readonly group: Group;
  readonly account: Account;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (permit: Permit) => void;
  readonly reject: (reason: unknown) => void;
  entry?: QueueEntry<Waiter>;
}

/** The running calls and waiters of one key. */
interface Group {
  readonly key: string;
  /** The waiters of each caller, in the order of their arrival. */
  readonly waiters: Map<Account, LinkedQueue<Waiter>>;
  queued: number;
  running: number;
  maxInstances: number;
  /** Its key in the heap of candidates; undefined if it is not there. */
  candidateTurn: number | undefined;
}

/** The running calls and waiters of one caller. */
interface Account {
  readonly id: string;
  limits: CallerLimits | undefined;
  lastTurn: number;
  queued: number;
  running: number;
  /** The groups in which the caller waits. */
  readonly groups: Set<Group>;
}

const maxIdleAccounts = 1_000;
const anyone: PermitCaller = { id: '' };

export function createPermits(initial: PermitLimits): Permits {
  let limits = initial;
  let running = 0;
  let queued = 0;
  /** The turn of the waiter that was granted a permit last. */
  let virtualTime = 0;
  const refusals = { caller: 0, total: 0 };
  const groups = new Map<string, Group>();
  const accounts = new Map<string, Account>();
  /** Groups that may have a waiter to grant a permit to, ordered by the turn of their next waiter. Entries may be stale. */
  const candidates: MinHeap<Group> = createMinHeap();
  const bySignal = new Map<AbortSignal, { readonly waiters: Set<Waiter>; readonly onAbort: () => void }>();

  function acquire(key: string, maxInstances: number, options: AcquireOptions = {}): Promise<Permit> {
    const { signal, caller = anyone } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const group = groupOf(key);
    const account = accountOf(caller);
    if (group.maxInstances !== maxInstances) {
      group.maxInstances = maxInstances;
      addCandidate(group);
      grantWaiters();
    }
    if (running < limits.maxConcurrent && group.running < maxInstances && mayRun(account))
      return Promise.resolve(grant(group, account));
    const refusal = refusalFor(key, account);
    if (refusal) {
      deleteIfEmpty(group, account);
      return Promise.reject(refusal);
    }
    return new Promise((resolve, reject) => {
      const turn = Math.max(virtualTime, account.lastTurn + 1);
      account.lastTurn = turn;
      enqueue({ turn, group, account, signal, resolve, reject });
    });
  }

  function tryAcquire(key: string, maxInstances: number, caller: PermitCaller = anyone): Permit | undefined {
    const group = groupOf(key);
    const account = accountOf(caller);
    const isFree = running < limits.maxConcurrent && group.running < maxInstances && mayRun(account);
    // A changed limit may allow earlier waiters to run first; `acquire` handles that.
    if (isFree && !group.waiters.has(account) && (group.maxInstances === maxInstances || group.running === 0)) {
      group.maxInstances = maxInstances;
      return grant(group, account);
    }
    deleteIfEmpty(group, account);
    return undefined;
  }

  function groupOf(key: string): Group {
    const known = groups.get(key);
    if (known) return known;
    const group: Group = {
      key,
      waiters: new Map(),
      queued: 0,
      running: 0,
      maxInstances: 0,
      candidateTurn: undefined,
    };
    groups.set(key, group);
    return group;
  }

  function accountOf(caller: PermitCaller): Account {
    const known = accounts.get(caller.id);
    if (known) {
      known.limits = caller.limits;
      return known;
    }
    const { id, limits: own } = caller;
    const account: Account = { id, limits: own, lastTurn: 0, queued: 0, running: 0, groups: new Set() };
    accounts.set(id, account);
    return account;
  }

  function refusalFor(key: string, account: Account): ToolwharfError | undefined {
    if (queued >= limits.maxQueued) {
      refusals.total++;
      return queueFull(key, limits);
    }
    const maxQueued = account.limits?.maxQueued ?? Number.POSITIVE_INFINITY;
    if (account.queued < maxQueued) return undefined;
    refusals.caller++;
    return callerQueueFull(key, maxQueued);
  }

  function grant(group: Group, account: Account): Permit {
    running++;
    group.running++;
    account.running++;
    let isHeld = true;
    return {
      key: group.key,
      [Symbol.dispose]() {
        if (!isHeld) return;
        isHeld = false;
        running--;
        group.running--;
        account.running--;
        addCandidate(group);
        // The caller may have been at its limit, which held up its waiters for other keys.
        for (const other of account.groups) addCandidate(other);
        grantWaiters();
        deleteIfEmpty(group, account);
      },
    };
  }

  /** The waiter whose turn comes first among the callers that may run another call. */
  function nextWaiter(group: Group): Waiter | undefined {
    let next: Waiter | undefined;
    for (const [account, waiters] of group.waiters) {
      const { first } = waiters;
      if (first && mayRun(account) && (!next || first.turn < next.turn)) next = first;
    }
    return next;
  }

  function addCandidate(group: Group): void {
    if (group.running >= group.maxInstances) return;
    const next = nextWaiter(group);
    if (!next || (group.candidateTurn !== undefined && group.candidateTurn <= next.turn)) return;
    group.candidateTurn = next.turn;
    candidates.push(next.turn, group);
  }

  function grantWaiters(): void {
    while (running < limits.maxConcurrent) {
      const popped = candidates.pop();
      if (popped === undefined) return;
      const group = popped.value;
      if (group.candidateTurn !== popped.key) continue;
      group.candidateTurn = undefined;
      const next = nextWaiter(group);
      if (next?.turn === popped.key && group.running < group.maxInstances) {
        dequeue(next);
        virtualTime = Math.max(virtualTime, next.turn);
        next.resolve(grant(group, next.account));
      }
      // If the waiter that made the group a candidate has left, its next waiter competes with its own turn.
      addCandidate(group);
      deleteIfEmpty(group);
    }
  }

  function enqueue(waiter: Waiter): void {
    const { group, account } = waiter;
    let waiters = group.waiters.get(account);
    if (!waiters) {
      waiters = createLinkedQueue();
      group.waiters.set(account, waiters);
      account.groups.add(group);
    }
    waiter.entry = waiters.push(waiter);
    queued++;
    group.queued++;
    account.queued++;
    listenForAbort(waiter);
    addCandidate(group);
  }

  function dequeue(waiter: Waiter): void {
    const { entry, group, account } = waiter;
    const waiters = group.waiters.get(account);
    if (!entry || !waiters) return;
    waiters.remove(entry);
    waiter.entry = undefined;
    if (waiters.size === 0) {
      group.waiters.delete(account);
      account.groups.delete(group);
    }
    queued--;
    group.queued--;
    account.queued--;
    if (account.queued === 0) account.lastTurn = 0;
    stopListening(waiter);
  }

  function deleteIfEmpty(group: Group, account?: Account): void {
    if (group.running === 0 && group.queued === 0 && group.candidateTurn === undefined) groups.delete(group.key);
    // Accounts are kept for the next call, up to a number.
    if (account && account.running === 0 && account.queued === 0 && accounts.size > maxIdleAccounts)
      accounts.delete(account.id);
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
        deleteIfEmpty(aborted.group, aborted.account);
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
    refusals,
    setLimits(changed) {
      limits = changed;
      grantWaiters();
    },
    stats: () => ({
      running,
      queued,
      byKey: new Map(
        [...groups.values()]
          .filter((group) => group.running > 0 || group.queued > 0)
          .map((group) => [group.key, { running: group.running, queued: group.queued }]),
      ),
    }),
  };
}

function mayRun({ running, limits }: Account): boolean {
  return limits === undefined || running < limits.maxRunning;
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
    { data: { key, maxConcurrent, maxQueued, retryAfterMs: 1_000 } },
  );
}

function callerQueueFull(key: string, maxQueued: number): ToolwharfError {
  const message = `${key} was not called: ${maxQueued} calls of this caller are already queued. Try again later, or raise gateway.limits.maxQueuedCallsPerCaller.`;
  return new ToolwharfError('LIMIT_REACHED', message, {
    data: { limit: 'queued_calls', max: maxQueued, retryAfterMs: 1_000 },
  });
}

/** Tools that call others have limits of their own only: their number is limited by the permits of the tools they call. */
export function composedLimits({ maxQueued }: Pick<PermitLimits, 'maxQueued'>): PermitLimits {
  return { maxConcurrent: Number.MAX_SAFE_INTEGER, maxQueued };
}
