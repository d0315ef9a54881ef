import { ToolwharfError } from '../../contract/errors.ts';
import type {
  AcquireOptions,
  CallerLimits,
  Permit,
  PermitCaller,
  PermitLimit,
  PermitLimits,
  Permits,
  PermitWait,
} from '../invocation/permits.ts';
import { createLinkedQueue, type LinkedQueue, type QueueEntry } from '../kernel/linked-queue.ts';
import { createMinHeap, type MinHeap } from '../kernel/min-heap.ts';
import type { UnitDemand, Units } from './units.ts';

/** The permits of one process. */
export interface LocalPermits extends Permits {
  /** Calls that wait for units, in the order of their turns. */
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
  maxRunning: number;
  /** Its key in the heap of candidates; undefined if it is not there. */
  candidateTurn: number | undefined;
}

/** The running calls and waiters of one caller. */
interface Account {
  readonly id: string;
  limits: CallerLimits | undefined;
  /** The turn of the waiter that came last. */
  lastTurn: number;
  /** The turn of the waiter that was granted a permit last: a caller that waits anew is served after the others that wait. */
  servedTurn: number;
  queued: number;
  /** How many of the queued have not counted as queued yet. */
  fresh: number;
  running: number;
  /** The groups in which the caller waits. */
  readonly groups: Set<Group>;
}

/** A permit whose call has ended for its caller only. */
interface Unanswered {
  readonly group: Group;
  readonly account: Account;
  /** In milliseconds of the monotonic clock. */
  readonly since: number;
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
  const unanswered = new Set<Unanswered>();
  const bySignal = new Map<AbortSignal, { readonly waiters: Set<Waiter>; readonly onAbort: () => void }>();

  function acquire(key: string, maxRunning: number, options: AcquireOptions = {}): Promise<Permit> {
    const { signal, caller = anyone } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const group = groupOf(key);
    const account = accountOf(caller);
    if (group.maxRunning !== maxRunning) {
      group.maxRunning = maxRunning;
      addCandidate(group);
      grantWaiters();
    }
    const timeoutMs = caller.timeoutMs ?? 0;
    const isFree = running < limits.maxConcurrent && group.running < maxRunning && mayRun(account);
    if (isFree && !group.waiters.has(account) && hasUnits(group, account, timeoutMs))
      return Promise.resolve(grant(group, account, timeoutMs));
    const mayWaitForUnits =
      isFree &&
      units !== undefined &&
      fresh.size < limits.maxQueued + limits.maxConcurrent &&
      !units.isUsedUp({ key, maxRunning, caller: account, timeoutMs });
    const refusal = mayWaitForUnits ? undefined : refusalFor(group, account, timeoutMs);
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
      if (isFree) grantWaiters();
      units?.request();
    });
  }

  function tryAcquire(key: string, maxRunning: number, caller: PermitCaller = anyone): Permit | undefined {
    const group = groupOf(key);
    const account = accountOf(caller);
    const isFree = running < limits.maxConcurrent && group.running < maxRunning && mayRun(account);
    // A changed limit may allow earlier waiters to run first; `acquire` handles that.
    if (isFree && !group.waiters.has(account) && (group.maxRunning === maxRunning || group.running === 0)) {
      group.maxRunning = maxRunning;
      const { timeoutMs = 0 } = caller;
      if (hasUnits(group, account, timeoutMs)) return grant(group, account, timeoutMs);
    }
    deleteIfEmpty(group, account);
    return undefined;
  }

  function hasUnits({ key, maxRunning }: Group, caller: Account, timeoutMs: number): boolean {
    return units === undefined || units.has({ key, maxRunning, caller, timeoutMs });
  }

  function groupOf(key: string): Group {
    const known = groups.get(key);
    if (known) return known;
    const group: Group = {
      key,
      waiters: new Map(),
      queued: 0,
      running: 0,
      maxRunning: 0,
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
    const counts = { lastTurn: 0, servedTurn: 0, queued: 0, fresh: 0, running: 0 };
    const account: Account = { id, limits: own, ...counts, groups: new Set() };
    accounts.set(id, account);
    return account;
  }

  function refusalFor(group: Group, account: Account, timeoutMs: number): ToolwharfError | undefined {
    const { key } = group;
    if (queued - fresh.size >= limits.maxQueued) {
      refusals.total++;
      return queueFull(key, limits, explain(group, account, timeoutMs));
    }
    const maxQueued = account.limits?.maxQueued ?? Number.POSITIVE_INFINITY;
    if (account.queued - account.fresh < maxQueued) return undefined;
    refusals.caller++;
    return callerQueueFull(key, maxQueued);
  }

  function explain(group: Group, account: Account, timeoutMs: number): PermitWait {
    const { key, maxRunning } = group;
    const limit = exhaustedLimit(group, account, timeoutMs);
    const isOfLimit = (each: Unanswered) =>
      limit === 'max_concurrent' || (limit === 'max_instances' ? each.group === group : each.account === account);
    const texts = {
      max_instances: `max_instances of ${key} is ${maxRunning}`,
      max_concurrent: `max_concurrent is ${limits.maxConcurrent}`,
      maxRunningCallsPerCaller: `maxRunningCallsPerCaller is ${account.limits?.maxRunning}`,
    };
    return { limit, text: `${texts[limit]}${describeUnanswered([...unanswered].filter(isOfLimit))}` };
  }

  function exhaustedLimit(group: Group, account: Account, timeoutMs: number): PermitLimit {
    const { key, maxRunning } = group;
    if (group.running >= maxRunning) return 'max_instances';
    if (!mayRun(account)) return 'maxRunningCallsPerCaller';
    if (running >= limits.maxConcurrent) return 'max_concurrent';
    return units?.lacking({ key, maxRunning, caller: account, timeoutMs }) ?? 'max_concurrent';
  }

  function grant(group: Group, account: Account, timeoutMs: number): Permit {
    const { key, maxRunning } = group;
    const used = units?.use({ key, maxRunning, caller: account, timeoutMs });
    running++;
    group.running++;
    account.running++;
    let isHeld = true;
    let late: Unanswered | undefined;
    return {
      key,
      onExpired: used?.onExpired,
      setUnanswered() {
        if (!isHeld || late) return;
        late = { group, account, since: performance.now() };
        unanswered.add(late);
      },
      [Symbol.dispose]() {
        if (!isHeld) return;
        isHeld = false;
        if (late) unanswered.delete(late);
        running--;
        group.running--;
        account.running--;
        used?.[Symbol.dispose]();
        addCandidate(group);
        // The caller may have been at its limit, which held up its waiters for other keys. A unit of all calls may serve any waiter.
        for (const other of units ? groups.values() : account.groups) if (other.queued > 0) addCandidate(other);
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
    if (group.running >= group.maxRunning) return;
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
      if (next?.turn === popped.key && group.running < group.maxRunning) {
        next.account.servedTurn = next.turn;
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
    if (account.queued === 0) account.lastTurn = account.servedTurn;
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
      const waiting = [...groups.values()].flatMap(({ waiters }) => [...waiters.values()]);
      // Whose turn comes first is served first.
      for (const { first, size: count } of waiting.toSorted(byTurn)) {
        if (!first) continue;
        const { group, account: caller, timeoutMs } = first;
        demand.push({ key: group.key, maxRunning: group.maxRunning, caller, count, timeoutMs });
      }
      return demand;
    },
    onUnits() {
      const waited = [...fresh];
      grantToAll();
      for (const waiter of waited.filter((each) => fresh.has(each))) {
        const refusal = refusalFor(waiter.group, waiter.account, waiter.timeoutMs);
        if (refusal) reject(waiter, refusal);
        else removeFresh(waiter);
      }
    },
    rejectWaiters(reason) {
      const waiting = [...groups.values()].flatMap(({ waiters }) => [...waiters.values()]);
      for (const queue of waiting) for (let next = queue.first; next; next = queue.first) reject(next, reason);
    },
    explainWait(key, maxRunning, caller = anyone) {
      const group = groupOf(key);
      group.maxRunning ||= maxRunning;
      const account = accountOf(caller);
      const wait = explain(group, account, caller.timeoutMs ?? 0);
      deleteIfEmpty(group, account);
      return wait;
    },
    stats: () => ({
      running,
      queued,
      unanswered: unanswered.size || undefined,
      byKey: new Map(
        [...groups.values()]
          .filter((group) => group.running > 0 || group.queued > 0)
          .map((group) => [group.key, { running: group.running, queued: group.queued }]),
      ),
    }),
  };
}

function byTurn(one: LinkedQueue<Waiter>, other: LinkedQueue<Waiter>): number {
  return (one.first?.turn ?? 0) - (other.first?.turn ?? 0);
}

function mayRun({ running, limits }: Account): boolean {
  return limits === undefined || running < limits.maxRunning;
}

function queueFull(key: string, limits: PermitLimits, { limit, text }: PermitWait): ToolwharfError {
  const { maxConcurrent, maxQueued } = limits;
  const queue = `and ${maxQueued} calls are already queued (max_queued)`;
  const message = `${key} was not called: ${text}, ${queue}. Try again later, or raise ${limit} or max_queued.`;
  return new ToolwharfError('QUEUE_FULL', message, {
    data: { key, limit, maxConcurrent, maxQueued, retryAfterMs: 1_000 },
  });
}

/** For people: the permits of calls that their servers have not answered. */
function describeUnanswered(calls: readonly Unanswered[]): string {
  const [first] = calls;
  if (!first) return '';
  const seconds = Math.round((performance.now() - first.since) / 1_000);
  const held = calls.length === 1 ? '1 permit is held by a call' : `${calls.length} permits are held by calls`;
  return ` (${held} that timed out or was cancelled ${seconds} s ago and that has not been answered; see cancelGrace)`;
}

function callerQueueFull(key: string, maxQueued: number): ToolwharfError {
  const message = `${key} was not called: ${maxQueued} calls of this caller are already queued. Try again later, or raise gateway.limits.maxQueuedCallsPerCaller.`;
  return new ToolwharfError('LIMIT_REACHED', message, {
    data: { limit: 'queued_calls', max: maxQueued, retryAfterMs: 1_000 },
  });
}
