import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { isContinuedElsewhere } from '../../../toolwharf/invocation/continued-elsewhere.ts';
import { leaseLost } from '../../../toolwharf/invocation/journal.ts';
import { createEvents, type Events } from '../../../toolwharf/kernel/events.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { createMutex } from '../../../toolwharf/kernel/mutex.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import {
  type ApprovalAnswer,
  type ApprovalHost,
  type ApprovalRequest,
  type Approver,
  askClient,
} from '../../../toolwharf/policy/approval.ts';
import type { ApprovalRecord, ApprovalStore } from '../../../toolwharf/policy/approval-store.ts';

/** Approvals that wait in the store for the first answer: from the app, the command line, a program, or the client's user. */
export interface StoredApprover extends Approver {
  /** Answers an approval; the first answer counts. */
  answer(id: string, answer: ApprovalAnswer, by: string): ReturnType<ApprovalStore['answer']>;
  /** Denies all pending approvals of a conversation; resolves when their calls have received the answer. */
  denyAll(conversation: string, reason: string): Promise<void>;
  /** The number of approvals that a limit rejected: that of a caller, or that of all callers. */
  readonly refusals: { readonly caller: number; readonly total: number };
  readonly on: Events<ApproverEvents>['on'];
}

export interface ApproverEvents {
  /** Called when a person has answered on this replica, whether or not a call waits for the answer. */
  answered: { readonly request: ApprovalRequest; readonly answer: ApprovalAnswer };
  /** The call has ended, so no answer is needed. */
  withdrawn: { readonly request: ApprovalRequest; readonly reason: string };
}

export interface StoredApproverOptions {
  readonly store: ApprovalStore;
  readonly log: Log;
  /** Calls that end because the process stops leave their approvals pending for the next start. */
  readonly stopping?: AbortSignal;
  /** How often the store is polled for answers given elsewhere; 1 000. */
  readonly pollMs?: number;
  readonly now?: () => number;
  /** Whether this process may make calls. If not, the calls of an answer are left to other processes. */
  readonly isHeld?: () => boolean;
  /** The limits on pending approvals for a caller; none by default. */
  readonly limits?: (caller: Caller) => PendingLimits;
}

export interface PendingLimits {
  readonly perCaller: number;
  readonly total: number;
}

const pollBatch = 500;
const yieldMs = 3_000;
const maxRetryMs = 10_000;
const withdrawalReason = 'its call was cancelled before an answer';

export function createStoredApprover(options: StoredApproverOptions): StoredApprover {
  const { store, log, stopping, isHeld, pollMs = 1_000, now = Date.now } = options;
  const answered = createEvents<Record<string, undefined>>();
  const released = createEvents<Record<string, undefined>>();
  const events = createEvents<ApproverEvents>();
  /** How many calls wait for each approval. */
  const waiting = new Map<string, number>();
  const mutex = createMutex();
  const refusals = { caller: 0, total: 0 };
  let polling: NodeJS.Timeout | undefined;

  async function answer(id: string, given: ApprovalAnswer, by: string) {
    const outcome = await store.answer(id, given, by, now());
    answered.emit(id, undefined);
    const request = outcome === 'answered' ? (await store.get(id))?.request : undefined;
    if (request) events.emit('answered', { request, answer: given });
    return outcome;
  }

  /** The record once it is no longer pending: notified when answered here, polled when answered elsewhere. */
  async function waitForAnswer(id: string, signal: AbortSignal): Promise<ApprovalRecord | undefined> {
    for (;;) {
      const changed = Promise.withResolvers<void>();
      const unsubscribe = answered.on(id, changed.resolve);
      signal.addEventListener('abort', changed.resolve as () => void, { once: true });
      try {
        const [pending] = await store.filterPending([id]);
        if (pending === undefined) return await store.get(id);
        signal.throwIfAborted();
        startPolling();
        await changed.promise;
      } finally {
        unsubscribe();
        signal.removeEventListener('abort', changed.resolve as () => void);
      }
    }
  }

  /** Asks the store about all waiting approvals at once, without their arguments. */
  function startPolling(): void {
    if (polling) return;
    const timer = setTimeout(async () => {
      const ids = [...waiting.keys()];
      for (let start = 0; start < ids.length; start += pollBatch) {
        const some = ids.slice(start, start + pollBatch);
        // A store that fails is asked again at the next poll.
        const pending = new Set(await store.filterPending(some).catch(() => some));
        for (const id of some) if (!pending.has(id)) answered.emit(id, undefined);
      }
      // The last waiter may have left meanwhile, and another have started a new timer.
      if (polling !== timer) return;
      polling = undefined;
      startPolling();
    }, pollMs);
    polling = timer;
  }

  /** Counts and adds in one step, so that concurrent calls cannot exceed the limit together. */
  function register(request: ApprovalRequest): Promise<ApprovalRequest> {
    return mutex(async () => {
      const limits = options.limits?.(request.caller);
      if (limits) await assertBelow(limits, request.caller.id);
      return (await store.add(request)).request;
    });
  }

  async function assertBelow({ perCaller, total }: PendingLimits, caller: string): Promise<void> {
    const reached =
      (await store.countPending(now(), caller)) >= perCaller
        ? 'caller'
        : (await store.countPending(now())) >= total
          ? 'total'
          : undefined;
    if (!reached) return;
    refusals[reached]++;
    const max = reached === 'caller' ? perCaller : total;
    const who = reached === 'caller' ? 'You have' : 'The gateway has';
    const message = `${who} ${max} pending approvals, which is the limit: try again when some are answered`;
    const data = { limit: 'approvals', max, retryAfterMs: 10_000 };
    throw new ToolwharfError(reached === 'caller' ? 'LIMIT_REACHED' : 'OVERLOADED', message, { data });
  }

  function askUser({ request }: ApprovalRecord, host: ApprovalHost | undefined, signal: AbortSignal): void {
    const by = host?.askUser ? 'the person at the terminal' : `the user of ${request.caller.name ?? request.caller.id}`;
    const asking = (async () => host?.askUser?.(request, signal) ?? askClient(host, request, signal))();
    asking
      .then(async (given) => given && (await storeAnswer(request.id, given, by, signal)))
      .catch((cause) => {
        if (!signal.aborted) log.debug('approval.client-silent', `The client did not answer: ${messageOf(cause)}`);
      });
  }

  /** Stores an answer that a person has given once, again and again while the store fails and the call waits. */
  async function storeAnswer(id: string, given: ApprovalAnswer, by: string, signal: AbortSignal): Promise<void> {
    for (let failures = 1; ; failures++) {
      try {
        await answer(id, given, by);
        return;
      } catch (cause) {
        signal.throwIfAborted();
        const message = `The answer to an approval could not be stored, and is stored again later: ${messageOf(cause)}`;
        if (failures === 1) log.error('approval.not-stored', message, { approval: id });
        await sleep(Math.min(failures * pollMs, maxRetryMs), undefined, { signal });
      }
    }
  }

  function releaseWaiter(id: string): number {
    const left = (waiting.get(id) ?? 1) - 1;
    if (left > 0) waiting.set(id, left);
    else waiting.delete(id);
    if (waiting.size === 0) {
      clearTimeout(polling);
      polling = undefined;
    }
    return left;
  }

  async function withdraw(request: ApprovalRequest): Promise<void> {
    try {
      const denial = { kind: 'deny', reason: withdrawalReason } as const;
      const outcome = await store.answer(request.id, denial, 'withdrawal', now());
      if (outcome === 'answered') events.emit('withdrawn', { request, reason: withdrawalReason });
    } catch (cause) {
      const message = `The approval of a cancelled call could not be withdrawn: ${messageOf(cause)}`;
      log.warning('approval.not-withdrawn', message);
    }
  }

  /** Denies one approval; resolves when every call that waits for it has received the answer. */
  async function deny(id: string, reason: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = released.on(id, resolve);
    try {
      if (!waiting.has(id)) resolve();
      await answer(id, { kind: 'deny', reason }, 'conversation');
      await promise;
    } finally {
      unsubscribe();
    }
  }

  return {
    answer,
    register,
    refusals,
    async ask(request, signal, host) {
      const [pending] = await store.filterPending([request.id]);
      const stored = pending === undefined ? await store.get(request.id) : { request, status: 'pending' as const };
      const record = stored ?? (await store.add(request));
      const { id } = record.request;
      const ended = new AbortController();
      waiting.set(id, (waiting.get(id) ?? 0) + 1);
      if (record.status === 'pending') askUser(record, host, AbortSignal.any([signal, ended.signal]));
      try {
        const settled = await waitForAnswer(id, signal);
        if (settled?.status === 'expired') throw new ToolwharfError('APPROVAL_EXPIRED', 'Nobody answered in time');
        const given = settled?.answer && { ...settled.answer, by: settled.answeredBy };
        if (given?.kind !== 'allow') return given ?? { kind: 'deny', reason: 'the approval no longer exists' };
        // A client that repeated its call waits for the answer too, and goes first.
        if (host?.isResumed === true) await sleep(yieldMs, undefined, { signal });
        // Another replica waits for the answer too, and can still make the call.
        if (isHeld?.() === false) throw leaseLost();
        signal.throwIfAborted();
        // Two calls may wait for one answer, which allows only one of them.
        if (await store.use(id)) return given;
        return { kind: 'deny', reason: 'the answer was used for another call' };
      } finally {
        ended.abort();
        const isLast = releaseWaiter(id) === 0;
        const isCancelled = signal.aborted && !isTimeout(signal) && !isContinuedElsewhere(signal.reason);
        if (isLast) setImmediate(() => released.emit(id, undefined));
        const mayContinue = host?.mayRepeat === true || stopping?.aborted === true;
        if (isLast && isCancelled && !mayContinue) await withdraw(record.request);
      }
    },
    async denyAll(conversation, reason) {
      for (let before: string | undefined; ; ) {
        const page = await store.list({ status: 'pending', limit: pageSize, before });
        const own = page.filter(({ request }) => request.caller.conversation === conversation);
        await Promise.all(own.map(({ request }) => deny(request.id, reason)));
        if (page.length < pageSize) return;
        before = page.at(-1)?.request.id;
      }
    },
    on: events.on,
  };
}

const pageSize = 500;

/** True when the approval expired; its record already shows that. */
function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
