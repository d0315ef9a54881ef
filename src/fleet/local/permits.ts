import type {
  AcquireOptions,
  CallerLimits,
  Permit,
  PermitCaller,
  PermitLimits,
  Permits,
} from '../../invocation/permits.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { createLinkedQueue, type LinkedQueue, type QueueEntry } from '../../kernel/linked-queue.ts';
import { createMinHeap, type MinHeap } from '../../kernel/min-heap.ts';
import type { UnitDemand, Units } from '../units.ts';

/** The permits of one process. */
export interface LocalPermits extends Permits {
  /** Calls that wait for units. */
  demand(): readonly UnitDemand[];
  /** Grants permits after units have arrived. Calls that came before and got none count as queued from now on. */
  onUnits(): void;
  /** Rejects all waiting calls. */
  rejectWaiters(reason: unknown): void;
}

interface Waiter {
  /** The virtual time at which its turn comes. It rises with each waiter of the same caller. */
  readonly turn: number;
  readonly group: Group;
  readonly account: Account;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
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
  /** How many of the queued have not counted as queued yet. */
  fresh: number;
  running: number;
  /** The groups in which the caller waits. */
  readonly groups: Set<Group>;
}

const maxIdleAccounts = 1_000;
const anyone: PermitCaller = { id: '' };

/** With `units`, a call also needs the units of its limits, which other replicas may have. */
export function createPermits(initial: PermitLimits, units?: Units): LocalPermits {
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
  /** Waiters that came since units were requested. They are not queued yet as far as the limit of the queue is concerned. */
  const fresh = new Set<Waiter>();
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
    const timeoutMs = caller.timeoutMs ?? 0;
    const isFree = running < limits.maxConcurrent && group.running < maxInstances && mayRun(account);
    if (isFree && hasUnits(group, account, timeoutMs)) return Promise.resolve(grant(group, account, timeoutMs));
    const mayWaitForUnits =
      isFree &&
      units !== undefined &&
      fresh.size < limits.maxQueued + limits.maxConcurrent &&
      !units.isUsedUp({ key, maxInstances, caller: account, timeoutMs });
    const refusal = mayWaitForUnits ? undefined : refusalFor(key, account);
    if (refusal) {
      deleteIfEmpty(group, account);
      return Promise.reject(refusal);
    }
    return new Promise((resolve, reject) => {
      const turn = Math.max(virtualTime, account.lastTurn + 1);
      account.lastTurn = turn;
      const waiter = { turn, group, account, signal, timeoutMs, resolve, reject };
      enqueue(waiter);
      if (mayWaitForUnits) addFresh(waiter);
      if (isFree) units?.request();
    });
  }

  function tryAcquire(key: string, maxInstances: number, caller: PermitCaller = anyone): Permit | undefined {
    const group = groupOf(key);
    const account = accountOf(caller);
    const isFree = running < limits.maxConcurrent && group.running < maxInstances && mayRun(account);
    // A changed limit may allow earlier waiters to run first; `acquire` handles that.
    if (isFree && !group.waiters.has(account) && (group.maxInstances === maxInstances || group.running === 0)) {
      group.maxInstances = maxInstances;
      const { timeoutMs = 0 } = caller;
      if (hasUnits(group, account, timeoutMs)) return grant(group, account, timeoutMs);
    }
    deleteIfEmpty(group, account);
    return undefined;
  }

  function hasUnits({ key, maxInstances }: Group, caller: Account, timeoutMs: number): boolean {
    return units === undefined || units.has({ key, maxInstances, caller, timeoutMs });
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
    const account: Account = { id, limits: own, lastTurn: 0, queued: 0, fresh: 0, running: 0, groups: new Set() };
    accounts.set(id, account);
    return account;
  }

  function refusalFor(key: string, account: Account): ToolwharfError | undefined {
    if (queued - fresh.size >= limits.maxQueued) {
      refusals.total++;
      return queueFull(key, limits);
    }
    const maxQueued = account.limits?.maxQueued ?? Number.POSITIVE_INFINITY;
    if (account.queued - account.fresh < maxQueued) return undefined;
    refusals.caller++;
    return callerQueueFull(key, maxQueued);
  }

  function grant(group: Group, account: Account, timeoutMs: number): Permit {
    const { key, maxInstances } = group;
    const used = units?.use({ key, maxInstances, caller: account, timeoutMs });
    running++;
    group.running++;
    account.running++;
    let isHeld = true;
    return {
      key,
      onExpired: used?.onExpired,
      [Symbol.dispose]() {
        if (!isHeld) return;
        isHeld = false;
        running--;
        group.running--;
        account.running--;
        used?.[Symbol.dispose]();
        addCandidate(group);
        // The caller may have been at its limit, which held up its waiters for other keys.
        for (const other of account.groups) addCandidate(other);
        grantWaiters();
        deleteIfEmpty(group, account);
        if (units && queued > 0) units.request();
      },
    };
  }

  /** The waiter whose turn comes first among the callers that may run another call. */
  function nextWaiter(group: Group): Waiter | undefined {
    let next: Waiter | undefined;
    for (const [account, waiters] of group.waiters) {
      const { first } = waiters;
      if (!first || !mayRun(account) || (next && first.turn >= next.turn)) continue;
      if (hasUnits(group, account, first.timeoutMs)) next = first;
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
        next.resolve(grant(group, next.account, next.timeoutMs));
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
    removeFresh(waiter);
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

  function addFresh(waiter: Waiter): void {
    fresh.add(waiter);
    waiter.account.fresh++;
  }

  function removeFresh(waiter: Waiter): void {
    if (fresh.delete(waiter)) waiter.account.fresh--;
  }

  function grantToAll(): void {
    for (const group of groups.values()) addCandidate(group);
    grantWaiters();
  }

  function reject(waiter: Waiter, reason: unknown): void {
    dequeue(waiter);
    deleteIfEmpty(waiter.group, waiter.account);
    waiter.reject(reason);
  }

  return {
    acquire,
    tryAcquire,
    refusals,
    setLimits(changed) {
      limits = changed;
      grantWaiters();
      if (units && queued > 0) units.request();
    },
    demand() {
      const demand: UnitDemand[] = [];
      for (const { key, maxInstances, waiters } of groups.values()) {
        for (const [caller, waiting] of waiters)
          demand.push({ key, maxInstances, caller, count: waiting.size, timeoutMs: waiting.first?.timeoutMs ?? 0 });
      }
      return demand;
    },
    onUnits() {
      const waited = [...fresh];
      grantToAll();
      for (const waiter of waited.filter((each) => fresh.has(each))) {
        const refusal = refusalFor(waiter.group.key, waiter.account);
        if (refusal) reject(waiter, refusal);
        else removeFresh(waiter);
      }
    },
    rejectWaiters(reason) {
      const waiting = [...groups.values()].flatMap(({ waiters }) => [...waiters.values()]);
      for (const queue of waiting) for (let next = queue.first; next; next = queue.first) reject(next, reason);
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
