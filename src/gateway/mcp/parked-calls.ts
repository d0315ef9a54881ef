import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { ClientRequest } from './client-request.ts';
import { RpcError, rpcCode } from './rpc.ts';

/** What a call sees of its client: whoever waits for it at the moment. */
export type ParkedClient = Pick<ClientRequest, 'ask' | 'notify' | 'signal'>;

/** One round: who waits, and until when. */
export interface Waiting extends Pick<ClientRequest, 'notify' | 'signal'> {
  /** A parked call is only found by the one who left it. */
  readonly owner: string;
  /** The answers that came with the request. */
  readonly answers: JsonObject;
}

/**
 * Calls of modern clients that wait for an answer. The modern era has no request from server to client: the call is parked,
 * the client gets the question as the result, and comes again with the answer and the state that finds the call.
 */
export interface ParkedCalls {
  /** Runs a call until it ends or asks; what is answered already is not asked. */
  start(waiting: Waiting, run: (client: ParkedClient) => Promise<JsonObject>): Promise<JsonObject>;
  /** Goes on with a parked call of the same owner. Each state is good for one round. */
  resume(waiting: Waiting, state: string): Promise<JsonObject>;
  /** Whether a state is one of ours, and not a server's own. */
  isOwn(state: unknown): state is string;
}

export interface ParkedCallsOptions {
  /** How long an unanswered question keeps its call; 300 000. */
  readonly patienceMs?: number;
  /** How long a first question waits for others, to be asked together with them; 20. */
  readonly gatherMs?: number;
}

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly resolve: (answer: JsonObject) => void;
}

interface Call {
  readonly owner: string;
  readonly cancel: AbortController;
  readonly questions: Map<string, Question>;
  readonly outcome: Promise<JsonObject>;
  notify: ClientRequest['notify'];
  onAsked: () => void;
  hasEnded: boolean;
}

interface Parked {
  readonly call: Call;
  expiry: NodeJS.Timeout;
}

const prefix = 'toolwharf:';

export function createParkedCalls({ patienceMs = 300_000, gatherMs = 20 }: ParkedCallsOptions = {}): ParkedCalls {
  const parked = new Map<string, Parked>();

  /** The call's result, or the questions that are open. */
  async function next(call: Call, { signal, notify }: Waiting): Promise<JsonObject> {
    const onAbort = () => call.cancel.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    call.notify = notify;
    try {
      for (;;) {
        const result = (await Promise.race([call.outcome, asked(call)])) ?? (await soon(call));
        if (result) return result;
        // A server may have taken its question back.
        if (call.questions.size > 0) return park(call);
      }
    } finally {
      call.notify = () => {};
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Questions that come together are asked together. */
  function soon(call: Call): Promise<JsonObject | undefined> {
    return Promise.race([call.outcome, wait(gatherMs, undefined)]);
  }

  function park(call: Call): JsonObject {
    const state = `${prefix}${randomUUID()}`;
    const later = () => setTimeout(expire, patienceMs).unref();
    const entry: Parked = { call, expiry: later() };
    function expire(): void {
      // Somebody else has answered: it runs on, and its client may still come for the result.
      if (!call.hasEnded && call.questions.size === 0) {
        entry.expiry = later();
        return;
      }
      parked.delete(state);
      call.cancel.abort(new Error('Nobody answered in time'));
    }
    parked.set(state, entry);
    const asked = [...call.questions].map(([key, { method, params }]) => [key, { method, params }]);
    return { resultType: 'input_required', inputRequests: Object.fromEntries(asked), requestState: state };
  }

  return {
    isOwn: (state): state is string => typeof state === 'string' && state.startsWith(prefix),

    start(waiting, run) {
      const cancel = new AbortController();
      const questions = new Map<string, Question>();
      const early = new Map(Object.entries(waiting.answers).filter(([, answer]) => isObject(answer)));
      const ask: ClientRequest['ask'] = (method, params, signal, name) =>
        new Promise((resolve, reject) => {
          const given = name === undefined ? undefined : early.get(name);
          if (name !== undefined && early.delete(name)) return resolve(given as JsonObject);
          const key = name === undefined || questions.has(name) ? `question_${randomUUID().slice(0, 8)}` : name;
          const withdraw = () => {
            questions.delete(key);
            reject(signal.reason);
          };
          if (signal.aborted) return withdraw();
          signal.addEventListener('abort', withdraw, { once: true });
          questions.set(key, {
            method,
            params,
            resolve(answer) {
              signal.removeEventListener('abort', withdraw);
              questions.delete(key);
              resolve(answer);
            },
          });
          call.onAsked();
        });
      const notify: ClientRequest['notify'] = (method, params) => call.notify(method, params);
      const call: Call = {
        owner: waiting.owner,
        cancel,
        questions,
        notify: waiting.notify,
        onAsked: () => {},
        hasEnded: false,
        // A moment later, when there is a call to ask for.
        outcome: Promise.resolve()
          .then(() => run({ ask, notify, signal: cancel.signal }))
          .finally(() => {
            call.hasEnded = true;
          }),
      };
      // It may end while it is parked and nobody listens; the outcome waits for the client.
      call.outcome.catch(() => {});
      return next(call, waiting);
    },

    async resume(waiting, state) {
      const entry = parked.get(state);
      if (entry?.call.owner !== waiting.owner) {
        throw new RpcError(rpcCode.invalidParams, 'The call this requestState belongs to is gone: make the call again');
      }
      parked.delete(state);
      clearTimeout(entry.expiry);
      const { call } = entry;
      for (const [key, question] of [...call.questions]) {
        const answer = Object.hasOwn(waiting.answers, key) ? waiting.answers[key] : undefined;
        if (isObject(answer)) question.resolve(answer);
      }
      return next(call, waiting);
    },
  };
}

function asked(call: Call): Promise<undefined> {
  return new Promise((resolve) => {
    call.onAsked = () => resolve(undefined);
    if (call.questions.size > 0) resolve(undefined);
  });
}
