import { messageOf } from '../../kernel/errors.ts';
import { createEvents } from '../../kernel/events.ts';
import type { Log } from '../../kernel/log.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../policy/approval.ts';
import type { ApprovalRecord, ApprovalStore } from '../../policy/approval-store.ts';

/** Puts a question to the client that made the call, where it can be asked; undefined where it can't. */
export type AskClient = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer> | undefined;

/** Questions that wait in the store for whoever answers first: the app, the command line, a program, or the calling client. */
export interface StoredApprover extends Approver {
  /** Answers one; the first answer counts. */
  answer(id: string, answer: ApprovalAnswer, by: string): ReturnType<ApprovalStore['answer']>;
}

export interface StoredApproverOptions {
  readonly store: ApprovalStore;
  readonly askClient: AskClient;
  readonly log: Log;
  /** How often the store is looked at for answers given elsewhere; 1 000. */
  readonly pollMs?: number;
  readonly now?: () => number;
}

export function createStoredApprover(options: StoredApproverOptions): StoredApprover {
  const { store, log, pollMs = 1_000, now = Date.now } = options;
  const answered = createEvents<Record<string, undefined>>();

  async function answer(id: string, given: ApprovalAnswer, by: string) {
    const outcome = await store.answer(id, given, by, now());
    answered.emit(id, undefined);
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

  return {
    answer,
    register: async (request) => (await store.add(request)).request,
    async ask(request, signal) {
      const record = (await store.get(request.id)) ?? (await store.add(request));
      const over = new AbortController();
      if (record.status === 'pending') askTheClient(record, AbortSignal.any([signal, over.signal]));
      try {
        const end = await settled(record.request.id, signal);
        if (end?.answer?.kind !== 'allow') return end?.answer ?? { kind: 'deny', reason: 'the question is gone' };
        // Two calls may wait for one answer; it is good for one of them.
        if (await store.use(record.request.id)) return end.answer;
        return { kind: 'deny', reason: 'the answer was used for another call' };
      } finally {
        over.abort();
      }
    },
  };
}
