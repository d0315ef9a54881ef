import { messageOf } from '../../kernel/errors.ts';
import { createEvents, type Events } from '../../kernel/events.ts';
import type { Log } from '../../kernel/log.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../policy/approval.ts';
import type { ApprovalRecord, ApprovalStore } from '../../policy/approval-store.ts';

/** Puts a question to the client that made the call, where it can be asked; undefined where it can't. */
export type AskClient = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer> | undefined;

/** Questions that wait in the store for whoever answers first: the app, the command line, a program, or the calling client. */
export interface StoredApprover extends Approver {
  /** Answers one; the first answer counts. */
  answer(id: string, answer: ApprovalAnswer, by: string): ReturnType<ApprovalStore['answer']>;
  /** Answers no to all that wait in a conversation; resolves when their calls have heard it. */
  denyAll(conversation: string, reason: string): Promise<void>;
  readonly on: Events<ApproverEvents>['on'];
}

export interface ApproverEvents {
  /** Somebody answered here, whether a call waits for it or not. */
  answered: { readonly request: ApprovalRequest; readonly answer: ApprovalAnswer };
  /** Nobody needs to answer any more: its call is gone for good. */
  withdrawn: { readonly request: ApprovalRequest; readonly reason: string };
}

export interface StoredApproverOptions {
  readonly store: ApprovalStore;
  readonly askClient: AskClient;
  readonly log: Log;
  /** Whether it is a client's that may call again for the same question, so that the question outlives its call; default: none is. */
  readonly mayComeAgain?: (request: ApprovalRequest) => boolean;
  /** Calls that end because everything does leave their questions for the next start. */
  readonly stopping?: AbortSignal;
  /** How often the store is looked at for answers given elsewhere; 1 000. */
  readonly pollMs?: number;
  readonly now?: () => number;
}

const withdrawn = 'its call was cancelled before anybody answered';

export function createStoredApprover(options: StoredApproverOptions): StoredApprover {
  const { store, log, stopping, mayComeAgain = () => false, pollMs = 1_000, now = Date.now } = options;
  const answered = createEvents<Record<string, undefined>>();
  const heard = createEvents<Record<string, undefined>>();
  const events = createEvents<ApproverEvents>();
  const waiting = new Map<string, number>();

  async function answer(id: string, given: ApprovalAnswer, by: string) {
    const outcome = await store.answer(id, given, by, now());
    answered.emit(id, undefined);
    const request = outcome === 'answered' ? (await store.get(id))?.request : undefined;
    if (request) events.emit('answered', { request, answer: given });
    return outcome;
  }

  /** The record once it no longer waits: told at once when answered here, found by looking when answered elsewhere. */
  async function settled(id: string, signal: AbortSignal): Promise<ApprovalRecord | undefined> {
    for (;;) {
      const record = await store.get(id);
      if (record?.status !== 'pending') return record;
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          end();
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, pollMs);
        const end = answered.on(id, done);
        signal.addEventListener('abort', done, { once: true });
      });
    }
  }

  function askTheClient(record: ApprovalRecord, signal: AbortSignal): void {
    const asking = options.askClient(record.request, signal);
    asking?.then(
      (given) => answer(record.request.id, given, `caller ${record.request.caller.id}`),
      (cause) => {
        if (!signal.aborted) log.debug('approval.client-silent', `The client did not answer: ${messageOf(cause)}`);
      },
    );
  }

  function leave(id: string): number {
    const left = (waiting.get(id) ?? 1) - 1;
    if (left > 0) waiting.set(id, left);
    else waiting.delete(id);
    return left;
  }

  async function withdraw(request: ApprovalRequest): Promise<void> {
    try {
      const no = { kind: 'deny', reason: withdrawn } as const;
      const outcome = await store.answer(request.id, no, 'withdrawal', now());
      if (outcome === 'answered') events.emit('withdrawn', { request, reason: withdrawn });
    } catch (cause) {
      log.warning('approval.not-withdrawn', `A question that nobody needs any more stays: ${messageOf(cause)}`);
    }
  }

  async function deny(id: string, reason: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = heard.on(id, resolve);
    if (!waiting.has(id)) resolve();
    await answer(id, { kind: 'deny', reason }, 'conversation');
    await promise;
    end();
  }

  return {
    answer,
    register: async (request) => (await store.add(request)).request,
    async ask(request, signal) {
      const staysOpen = mayComeAgain(request);
      const record = (await store.get(request.id)) ?? (await store.add(request));
      const { id } = record.request;
      const over = new AbortController();
      waiting.set(id, (waiting.get(id) ?? 0) + 1);
      if (record.status === 'pending') askTheClient(record, AbortSignal.any([signal, over.signal]));
      try {
        const end = await settled(id, signal);
        if (end?.answer?.kind !== 'allow') return end?.answer ?? { kind: 'deny', reason: 'the question is gone' };
        // Two calls may wait for one answer; it is good for one of them.
        if (await store.use(id)) return end.answer;
        return { kind: 'deny', reason: 'the answer was used for another call' };
      } finally {
        over.abort();
        const isLast = leave(id) === 0;
        const isCancelled = signal.aborted && !isExpiry(signal) && stopping?.aborted !== true;
        if (isLast) setImmediate(() => heard.emit(id, undefined));
        if (isLast && isCancelled && !staysOpen) await withdraw(record.request);
      }
    },
    async denyAll(conversation, reason) {
      const pending = await store.list({ status: 'pending', limit: 1_000 });
      const own = pending.filter(({ request }) => request.caller.conversation === conversation);
      await Promise.all(own.map(({ request }) => deny(request.id, reason)));
    },
    on: events.on,
  };
}

/** Whose time is over ends by itself, and says so. */
function isExpiry({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
