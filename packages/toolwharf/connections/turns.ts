import { ToolwharfError } from '../../contract/errors.ts';
import { type AbortSource, toAbortSignal } from '../kernel/abort-source.ts';
import { createLinkedQueue, type QueueEntry } from '../kernel/linked-queue.ts';
import { abortable } from '../kernel/wait.ts';

/** The right of one request to run on a connection whose server may ask questions. */
export interface Turn {
  /** True when the request may lead to a question: its tool has asked before, or has not run often enough to know. */
  readonly mayAsk: boolean;
  /** True while a question of this request is open, until its answer is sent. */
  readonly hasOpenQuestion: boolean;
  /** Records that the tool asks questions whose request is not certain. */
  recordQuestion(): void;
  /**
   * Records that a question of this request is open. After 250 ms without an answer, requests whose tools are not known to
   * ask may start. `withdraw` is called when the question has had no answer for `maxHoldMs` and another request waits for it. A
   * question on the stream of its request says nothing about the questions on the stream that all requests share.
   */
  openQuestion(withdraw?: Withdraw, isOnOwnStream?: boolean): void;
  /**
   * Resolves when the answer to the open question may be sent: the requests that started meanwhile have ended or wait for
   * answers themselves, so that the next question is this request's beyond doubt. Waits for ten seconds at most.
   */
  resume(signal: AbortSignal): Promise<void>;
  /** The answer was sent; `isAnswered` when it was not an error. */
  closeQuestion(isAnswered: boolean): void;
  /**
   * True once the server has replied to all these requests, after their questions were answered: a question that may
   * have been theirs is this request's. False if that stays uncertain.
   */
  outlasts(others: readonly Turn[], signal: AbortSignal): Promise<boolean>;
  readonly hasEnded: boolean;
  /** Releases the turn; `isAnswered` when the server has replied to the request. */
  end(isAnswered: boolean): void;
  /** Releases the turn of a request that was cancelled, once the server has probably stopped working on it. */
  abandon(): void;
}

/** Cancels the request and its open question. */
export type Withdraw = (cause: ToolwharfError) => void;

/** A request that wants a turn. */
export interface TurnRequest {
  /** The name of the tool, or another method. */
  readonly subject: string;
  /** True when the client behind the request answers questions. */
  readonly canBeAsked: boolean;
  /** True if the response has its own stream: questions on that stream belong to this request. */
  readonly hasOwnStream?: boolean;
  /** How long the request, or a question of it, waits for the requests of other clients. */
  readonly maxWaitMs: number;
  /** How long other requests wait for an answer to its question. */
  readonly maxHoldMs: number;
  /** Called while it waits; the returned function is called afterwards. */
  readonly onWait?: () => () => void;
}

/**
 * Keeps apart the requests on one legacy session over stdio or SSE, where nothing says which request a question belongs
 * to: a request that may lead to a question runs alone if any client concerned can be asked. All other requests run side
 * by side. While a question is open, requests whose tools are not known to ask start beside it.
 */
export interface Turns {
  /** A turn that starts now; undefined if the request has to wait. */
  tryTake(request: TurnRequest): Turn | undefined;
  /**
   * Waits in order of arrival; rejects on abort. A request whose tool is known to ask rejects with CALL_TIMED_OUT after
   * `maxWaitMs`. Any other starts beside the running ones after ten seconds: a question that arrives then is refused.
   */
  take(request: TurnRequest, signal?: AbortSource): Promise<Turn>;
}

interface Waiting {
  readonly request: TurnRequest;
  readonly start: (turn: Turn) => void;
}

interface RunningTurn extends Turn {
  readonly subject: string;
  readonly canBeAsked: boolean;
  /** True while the server has waited for some time for an answer to this request's question. */
  isWaiting(): boolean;
  /** Withdraws its question if that has had no answer for too long. */
  withdrawOverdue(server: string): void;
  /** True when the server has replied, and no question of the request failed. */
  endedWell: boolean;
  /** Where it is among the running turns. */
  place: QueueEntry<RunningTurn> | undefined;
}

// A tool that asked nothing in this many calls counts as one that does not ask.
const quietCallsNeeded = 3;
// How long a request waits whose tool has not asked so far: a slow call must not stop those of other clients.
const patienceMs = 10_000;
// Programs answer sooner, people do not. Requests that started beside a question would only delay a quick answer.
const quickAnswerMs = 250;
// How long a server may go on with a cancelled request: one that has asked before, and one that may ask.
const askerReleaseMs = 30_000;
const releaseMs = 3_000;

export function createTurns(server: string): Turns {
  const quietCalls = new Map<string, number>();
  // Tools that asked two questions at once: an open question does not mean that they ask no other.
  const asksAtOnce = new Set<string>();
  const queue: Waiting[] = [];
  const running = createLinkedQueue<RunningTurn>();
  // Called after each change of what is running.
  const watchers = new Set<() => void>();
  // Refuses the one question that waits for other requests to end.
  let refuseHeld: (() => void) | undefined;

  function mayAsk({ subject, hasOwnStream }: TurnRequest): boolean {
    return (quietCalls.get(subject) ?? (hasOwnStream ? quietCallsNeeded : 0)) < quietCallsNeeded;
  }

  function isAsker({ subject }: TurnRequest): boolean {
    return (quietCalls.get(subject) ?? 0) < 0;
  }

  function conflicts(request: TurnRequest): boolean {
    if (!request.canBeAsked && !some(running.values(), ({ canBeAsked }) => canBeAsked)) return false;
    if (isAsker(request)) return running.size > 0;
    return some(running.values(), (other) => !other.isWaiting() && (other.mayAsk || mayAsk(request)));
  }

  /** While a question is open, requests that need not wait for its answer overtake those that must. */
  function mayOvertake(): boolean {
    return queue.length === 0 || some(running.values(), (turn) => turn.isWaiting());
  }

  function begin(request: TurnRequest): Turn {
    const turn = new RequestTurn(request, mayAsk(request), rules);
    turn.place = running.push(turn);
    return turn;
  }

  function update(): void {
    if (watchers.size > 0) for (const check of [...watchers]) check();
    // A question that may belong to another request waits for its end.
    if (queue.length > 0 || refuseHeld) withdrawOverdue();
    for (const waiting of [...queue]) {
      if (conflicts(waiting.request)) {
        if (!mayOvertake()) return;
        continue;
      }
      queue.splice(queue.indexOf(waiting), 1);
      waiting.start(begin(waiting.request));
    }
  }

  /** A question that nobody answers must not stop the requests of other clients. */
  function withdrawOverdue(): void {
    for (const turn of [...running.values()]) turn.withdrawOverdue(server);
  }

  /** Waits for `maxMs` at most, or until the signal is aborted. */
  async function waitUntil(
    isTrue: () => boolean,
    { onWait }: TurnRequest,
    maxMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted || isTrue()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (isTrue()) resolve();
    };
    const onAbort = () => resolve();
    const timer = setTimeout(resolve, maxMs);
    signal.addEventListener('abort', onAbort, { once: true });
    const resumeClock = onWait?.();
    watchers.add(check);
    await promise;
    watchers.delete(check);
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    resumeClock?.();
  }

  const rules: TurnRules = {
    isAsker,
    asksAtOnce: (subject) => asksAtOnce.has(subject),
    recordQuestion: (subject) => void quietCalls.set(subject, Number.NEGATIVE_INFINITY),
    recordSecondQuestion: (subject) => void asksAtOnce.add(subject),
    recordQuietCall(request) {
      if (mayAsk(request)) quietCalls.set(request.subject, (quietCalls.get(request.subject) ?? 0) + 1);
    },
    isAlone: (turn) => [...running.values()].every((other) => other === turn || other.hasOpenQuestion),
    waitUntil,
    holdQuestion(refuse) {
      // Two questions that wait for each other's requests would wait forever.
      refuseHeld?.();
      if (refuseHeld) return false;
      refuseHeld = refuse;
      return true;
    },
    releaseQuestion() {
      refuseHeld = undefined;
    },
    leave({ place }) {
      if (place) running.remove(place);
    },
    update,
  };

  return {
    tryTake: (request) => (conflicts(request) || !mayOvertake() ? undefined : begin(request)),

    async take(request, signal) {
      const { maxWaitMs, onWait } = request;
      const { promise, resolve } = Promise.withResolvers<Turn>();
      const waiting: Waiting = { request, start: resolve };
      queue.push(waiting);
      update();
      const mustWait = isAsker(request);
      const timeout = AbortSignal.timeout(mustWait ? maxWaitMs : Math.min(maxWaitMs, patienceMs));
      const resumeClock = onWait?.();
      try {
        return await abortable(promise, signal ? AbortSignal.any([toAbortSignal(signal), timeout]) : timeout);
      } catch (cause) {
        const at = queue.indexOf(waiting);
        if (at === -1) void promise.then((turn) => turn.end(false));
        else queue.splice(at, 1);
        update();
        if (signal?.aborted || !timeout.aborted) throw cause;
        if (mustWait) throw busy(server, maxWaitMs, cause);
        return begin(request);
      } finally {
        resumeClock?.();
      }
    },
  };
}

/** The knowledge that all turns of one session share. */
interface TurnRules {
  isAsker(request: TurnRequest): boolean;
  asksAtOnce(subject: string): boolean;
  recordQuestion(subject: string): void;
  recordSecondQuestion(subject: string): void;
  recordQuietCall(request: TurnRequest): void;
  /** True if no other turn could ask now. */
  isAlone(turn: RunningTurn): boolean;
  waitUntil(isTrue: () => boolean, request: TurnRequest, maxMs: number, signal: AbortSignal): Promise<void>;
  /** Makes this the one question that waits for other requests to end; refuses both if there is one already. */
  holdQuestion(refuse: () => void): boolean;
  releaseQuestion(): void;
  leave(turn: RunningTurn): void;
  update(): void;
}

/** A class, because most calls have one: methods on a prototype cost nothing per call. */
class RequestTurn implements RunningTurn {
  readonly mayAsk: boolean;
  hasEnded = false;
  endedWell = false;
  place: QueueEntry<RunningTurn> | undefined;
  readonly #request: TurnRequest;
  readonly #rules: TurnRules;
  #hasAsked = false;
  #hasFailed = false;
  #openQuestions = 0;
  #isResuming = false;
  #waitsLong = false;
  #timer: NodeJS.Timeout | undefined;
  #holdTimer: NodeJS.Timeout | undefined;
  #withdraw: Withdraw | undefined;
  #isOverdue = false;

  constructor(request: TurnRequest, mayAsk: boolean, rules: TurnRules) {
    this.#request = request;
    this.#rules = rules;
    this.mayAsk = mayAsk;
  }

  get subject(): string {
    return this.#request.subject;
  }

  get canBeAsked(): boolean {
    return this.#request.canBeAsked;
  }

  get hasOpenQuestion(): boolean {
    return this.#openQuestions > 0;
  }

  isWaiting(): boolean {
    return this.#waitsLong && !this.#isResuming && !this.#rules.asksAtOnce(this.subject);
  }

  recordQuestion(): void {
    this.#hasAsked = true;
    this.#rules.recordQuestion(this.subject);
  }

  openQuestion(withdraw?: Withdraw, isOnOwnStream = false): void {
    if (!isOnOwnStream) this.recordQuestion();
    this.#withdraw = withdraw;
    this.#holdTimer ??= setTimeout(() => {
      this.#isOverdue = true;
      this.#rules.update();
    }, this.#request.maxHoldMs).unref();
    if (this.#openQuestions++ > 0 && !isOnOwnStream) this.#rules.recordSecondQuestion(this.subject);
    this.#timer ??= setTimeout(() => {
      this.#waitsLong = true;
      this.#rules.update();
    }, quickAnswerMs).unref();
    this.#rules.update();
  }

  withdrawOverdue(server: string): void {
    if (!this.#isOverdue || this.#isResuming) return;
    this.#isOverdue = false;
    this.#withdraw?.(withdrawn(server, this.#request.maxHoldMs));
  }

  async resume(signal: AbortSignal): Promise<void> {
    this.#isResuming = true;
    const mayResume = () => this.hasEnded || this.#rules.isAlone(this);
    await this.#rules.waitUntil(mayResume, this.#request, patienceMs, signal);
  }

  closeQuestion(isAnswered: boolean): void {
    this.#hasFailed ||= !isAnswered;
    this.#isResuming = false;
    if (--this.#openQuestions > 0) return;
    this.#stopTimers();
    this.#waitsLong = false;
    this.#rules.update();
  }

  async outlasts(others: readonly Turn[], signal: AbortSignal): Promise<boolean> {
    let isRefused = false;
    const isHeld = this.#rules.holdQuestion(() => {
      isRefused = true;
      this.#rules.update();
    });
    if (!isHeld) return false;
    const waited = others as readonly RunningTurn[];
    const isOver = () => isRefused || this.hasEnded || waited.every(({ hasEnded }) => hasEnded);
    await this.#rules.waitUntil(isOver, this.#request, this.#request.maxWaitMs, signal);
    this.#rules.releaseQuestion();
    if (isRefused || this.hasEnded) return false;
    return waited.every((other) => other.endedWell && !this.#rules.asksAtOnce(other.subject));
  }

  end(isAnswered: boolean): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.endedWell = isAnswered && !this.#hasFailed;
    this.#stopTimers();
    this.#rules.leave(this);
    if (isAnswered && !this.#hasAsked) this.#rules.recordQuietCall(this.#request);
    this.#rules.update();
  }

  #stopTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#holdTimer);
    this.#timer = this.#holdTimer = undefined;
    this.#isOverdue = false;
  }

  abandon(): void {
    if (this.hasEnded) return;
    // The question is withdrawn, so the server asks nothing any more.
    if (!this.mayAsk || this.#openQuestions > 0) this.end(false);
    else setTimeout(() => this.end(false), this.#rules.isAsker(this.#request) ? askerReleaseMs : releaseMs).unref();
  }
}

function some<Item>(items: Iterable<Item>, isMeant: (item: Item) => boolean): boolean {
  for (const item of items) if (isMeant(item)) return true;
  return false;
}

function busy(server: string, maxWaitMs: number, cause: unknown): ToolwharfError {
  const message = `Server '${server}' was busy with the call of another client for ${maxWaitMs} ms; this call was not sent. Set isolation: session to give each client session, or each caller without one, its own session with the server`;
  return new ToolwharfError('CALL_TIMED_OUT', message, { cause, data: { reached: false } });
}

function withdrawn(server: string, maxHoldMs: number): ToolwharfError {
  const message = `Nobody answered the question of server '${server}' within ${maxHoldMs} ms, and another call needed the server. The call was cancelled: call the tool again`;
  return new ToolwharfError('CALL_TIMED_OUT', message, { data: { reached: true } });
}
