import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { gatewayDefaults } from '../../../contract/settings/defaults.ts';
import { type AbortSource, LightAbort } from '../../../toolwharf/kernel/abort-source.ts';
import type { Reservation } from '../http/limits/quota.ts';
import type { RequestResults } from '../http/limits/result-memory.ts';
import type { ClientRequest } from './client-request.ts';
import { RpcError, rpcCode } from './rpc.ts';

/** The part of a request that changes with each round: the client connection that waits for the result. */
export type RoundClient = Pick<ClientRequest, 'ask' | 'notify'> & { readonly signal: AbortSource };

/** One round of a request. */
export interface Round extends Pick<ClientRequest, 'notify' | 'signal'> {
  /** The caller's id, a zero character, and what identifies the request. Only the same owner can continue the request. */
  readonly owner: string;
  /** The answers that this round contains. */
  readonly answers: JsonObject;
  /** Counts the request's body, which the request retains until it has ended. */
  readonly reservation?: Reservation;
  /** Counts the result, which is retained until a client has fetched it or it expires. */
  readonly results?: Pick<RequestResults, 'retainUntil'>;
}

/**
 * Requests of modern clients that need input. The modern era has no request from server to client: the client gets the
 * open questions as an `input_required` result and sends the request again with the answers and the `requestState`.
 */
export interface InputRounds {
  /** Runs a request until it has a result or needs input. Does not ask questions that `round.answers` already answers. */
  start(round: Round, run: (client: RoundClient) => Promise<JsonObject>): Promise<JsonObject>;
  /** Continues a request of the same owner. Each state is valid for one round. */
  resume(round: Round, state: string): Promise<JsonObject>;
  /** True for a state that the gateway issued, false for a state that a server issued. */
  isOwn(state: unknown): state is string;
}

export interface InputRoundsOptions {
  /** The id of this replica, which the states of its requests contain. */
  readonly replica?: string;
  /** The time limit for the next round of a request; that of the defaults if undefined. */
  readonly questionTimeoutMs?: () => number;
  /** How many requests may wait for input; 1 000 by default, and 100 of one caller. */
  readonly maxPaused?: number;
  readonly maxPausedPerCaller?: number;
}

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly resolve: (answer: JsonObject) => void;
}

/** A request between its first and its last round. */
interface Exchange {
  readonly owner: string;
  readonly cancel: LightAbort;
  readonly questions: Map<string, Question>;
  outcome: Promise<JsonObject>;
  notify: ClientRequest['notify'];
  onQuestion: () => void;
  hasEnded: boolean;
  /** Settles when the outcome is no longer retained. */
  readonly released: PromiseWithResolvers<void>;
}

const prefix = 'toolwharf:';
const ignore = () => {};

/** How long the first question waits for others, so that one round asks them all. */
const gatherMs = 20;

export function createInputRounds(options: InputRoundsOptions = {}): InputRounds {
  const { replica, questionTimeoutMs = () => gatewayDefaults.questionTimeoutMs } = options;
  const { maxPaused = 1_000, maxPausedPerCaller = 100 } = options;
  const statePrefix = replica === undefined ? prefix : `${prefix}${replica}:`;
  const paused = new Map<string, { readonly exchange: Exchange; expiry: NodeJS.Timeout }>();

  /** Returns the result of the exchange, or its open questions. */
  async function nextResult(exchange: Exchange, { signal, notify }: Round): Promise<JsonObject> {
    const onAbort = () => exchange.cancel.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    exchange.notify = notify;
    try {
      for (;;) {
        const result = (await Promise.race([exchange.outcome, firstQuestion(exchange)])) ?? (await gather(exchange));
        if (result) {
          exchange.released.resolve();
          return result;
        }
        // The server may have cancelled its question meanwhile.
        if (exchange.questions.size > 0) return pause(exchange);
      }
    } catch (cause) {
      exchange.released.resolve();
      throw cause;
    } finally {
      exchange.notify = ignore;
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Waits for a short time, so that concurrent questions are asked in one round. */
  function gather({ outcome }: Exchange): Promise<JsonObject | undefined> {
    return Promise.race([outcome, wait(gatherMs, undefined)]);
  }

  /** Ends the exchange if too many requests wait for input. */
  function assertMayPause(exchange: Exchange): void {
    const isOwn = ({ exchange: { owner } }: { readonly exchange: Exchange }) =>
      callerOf(owner) === callerOf(exchange.owner);
    const isCallerFull = [...paused.values()].filter(isOwn).length >= maxPausedPerCaller;
    if (!isCallerFull && paused.size < maxPaused) return;
    const message = isCallerFull
      ? `You have reached the limit of ${maxPausedPerCaller} requests that wait for input: answer some of them first`
      : `The gateway has reached its limit of ${maxPaused} requests that wait for input: try again later`;
    const data = { limit: 'input_rounds', max: isCallerFull ? maxPausedPerCaller : maxPaused, retryAfterMs: 1_000 };
    const error = new ToolwharfError(isCallerFull ? 'LIMIT_REACHED' : 'OVERLOADED', message, { data });
    exchange.cancel.abort(error);
    throw error;
  }

  function pause(exchange: Exchange): JsonObject {
    assertMayPause(exchange);
    const state = `${statePrefix}${randomUUID()}`;
    const startTimer = () => setTimeout(expire, questionTimeoutMs()).unref();
    const entry = { exchange, expiry: startTimer() };
    function expire(): void {
      // Another person answered and the request is still running. Its client may still fetch the result.
      if (!exchange.hasEnded && exchange.questions.size === 0) {
        entry.expiry = startTimer();
        return;
      }
      paused.delete(state);
      exchange.cancel.abort(new Error('No answer in time'));
      exchange.released.resolve();
    }
    paused.set(state, entry);
    const open = [...exchange.questions].map(([key, { method, params }]) => [key, { method, params }]);
    return { resultType: 'input_required', inputRequests: Object.fromEntries(open), requestState: state };
  }

  return {
    isOwn: (state): state is string => typeof state === 'string' && state.startsWith(prefix),

    start(round, run) {
      const exchange: Exchange = {
        owner: round.owner,
        cancel: new LightAbort(),
        questions: new Map(),
        outcome: new Promise(ignore),
        notify: round.notify,
        onQuestion: ignore,
        hasEnded: false,
        released: Promise.withResolvers(),
      };
      const ask = createAsk(exchange, round.answers);
      const notify: ClientRequest['notify'] = (method, params) => exchange.notify(method, params);
      exchange.outcome = run({ ask, notify, signal: exchange.cancel }).finally(() => {
        exchange.hasEnded = true;
      });
      // The request may end between two rounds. The client then gets the outcome in its next round.
      exchange.outcome.catch(ignore);
      round.reservation?.retainUntil(exchange.outcome);
      round.results?.retainUntil(exchange.released.promise);
      return nextResult(exchange, round);
    },

    async resume(round, state) {
      const entry = paused.get(state);
      if (entry?.exchange.owner !== round.owner) {
        throw callIsGone();
      }
      paused.delete(state);
      clearTimeout(entry.expiry);
      const { exchange } = entry;
      for (const [key, question] of [...exchange.questions]) {
        const answer = Object.hasOwn(round.answers, key) ? round.answers[key] : undefined;
        if (isObject(answer)) question.resolve(answer);
      }
      return nextResult(exchange, round);
    },
  };
}

function callerOf(owner: string): string | undefined {
  return owner.split('\0', 1)[0];
}

/** Adds a question to the exchange and waits for its answer. `name` is the key that the server gave the question. */
function createAsk(exchange: Exchange, answers: JsonObject): ClientRequest['ask'] {
  const { questions } = exchange;
  const early = new Map(Object.entries(answers).filter(([, answer]) => isObject(answer)));
  return (method, params, signal, name) =>
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
      exchange.onQuestion();
    });
}

function firstQuestion(exchange: Exchange): Promise<undefined> {
  return new Promise((resolve) => {
    // Bound, because V8 would create a function written here in the old generation.
    exchange.onQuestion = resolve.bind(undefined, undefined);
    if (exchange.questions.size > 0) resolve(undefined);
  });
}

/** The error for a state whose request has ended or was lost. */
export function callIsGone(): RpcError {
  return new RpcError(
    rpcCode.invalidParams,
    'The request of this requestState has ended: send the request again without it',
  );
}
