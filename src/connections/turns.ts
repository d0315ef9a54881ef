import { ToolwharfError } from '../kernel/errors.ts';
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
   * ask may start.
   */
  openQuestion(): void;
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
  take(request: TurnRequest, signal?: AbortSignal): Promise<Turn>;
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
  /** True when the server has replied, and no question of the request failed. */
  endedWell: boolean;
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
  const running = new Set<RunningTurn>();
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
    const others = [...running];
    if (!request.canBeAsked && !others.some(({ canBeAsked }) => canBeAsked)) return false;
    if (isAsker(request)) return others.length > 0;
    return others.some((other) => !other.isWaiting() && (other.mayAsk || mayAsk(request)));
  }

  /** While a question is open, requests that need not wait for its answer overtake those that must. */
  function mayOvertake(): boolean {
    return queue.length === 0 || [...running].some((turn) => turn.isWaiting());
  }

  function begin(request: TurnRequest): Turn {
    const { subject } = request;
    let hasAsked = false;
    let hasFailed = false;
    let openQuestions = 0;
    let isResuming = false;
    let waitsLong = false;
    let timer: NodeJS.Timeout | undefined;
    const turn: RunningTurn & { hasEnded: boolean } = {
      subject,
      mayAsk: mayAsk(request),
      canBeAsked: request.canBeAsked,
      hasEnded: false,
      endedWell: false,
      get hasOpenQuestion() {
        return openQuestions > 0;
      },
      isWaiting: () => waitsLong && !isResuming && !asksAtOnce.has(subject),
      recordQuestion() {
        hasAsked = true;
        quietCalls.set(subject, Number.NEGATIVE_INFINITY);
      },
      openQuestion() {
        turn.recordQuestion();
        if (openQuestions++ > 0) asksAtOnce.add(subject);
        timer ??= setTimeout(() => {
          waitsLong = true;
          update();
        }, quickAnswerMs).unref();
        update();
      },
      async resume(signal) {
        isResuming = true;
        const isAlone = () => [...running].every((other) => other === turn || other.hasOpenQuestion);
        await waitUntil(() => turn.hasEnded || isAlone(), request, patienceMs, signal);
      },
      closeQuestion(isAnswered) {
        hasFailed ||= !isAnswered;
        isResuming = false;
        if (--openQuestions > 0) return;
        clearTimeout(timer);
        timer = undefined;
        waitsLong = false;
        update();
      },
      async outlasts(others, signal) {
        // Two questions that wait for each other's requests would wait forever.
        let isRefused = refuseHeld !== undefined;
        refuseHeld?.();
        if (isRefused) return false;
        refuseHeld = () => {
          isRefused = true;
          update();
        };
        const waited = others as readonly RunningTurn[];
        const haveEnded = () => waited.every(({ hasEnded }) => hasEnded);
        await waitUntil(() => isRefused || turn.hasEnded || haveEnded(), request, request.maxWaitMs, signal);
        refuseHeld = undefined;
        if (isRefused || turn.hasEnded) return false;
        return waited.every((other) => other.endedWell && !asksAtOnce.has(other.subject));
      },
      end(isAnswered) {
        if (turn.hasEnded) return;
        turn.hasEnded = true;
        turn.endedWell = isAnswered && !hasFailed;
        clearTimeout(timer);
        running.delete(turn);
        if (isAnswered && !hasAsked && mayAsk(request)) quietCalls.set(subject, (quietCalls.get(subject) ?? 0) + 1);
        update();
      },
      abandon() {
        if (turn.hasEnded) return;
        // A server whose open question is withdrawn has nothing left to ask.
        if (!turn.mayAsk || openQuestions > 0) return turn.end(false);
        setTimeout(turn.end, isAsker(request) ? askerReleaseMs : releaseMs, false).unref();
      },
    };
    running.add(turn);
    return turn;
  }

  function update(): void {
    for (const check of [...watchers]) check();
    for (const waiting of [...queue]) {
      if (conflicts(waiting.request)) {
        if (!mayOvertake()) return;
        continue;
      }
      queue.splice(queue.indexOf(waiting), 1);
      waiting.start(begin(waiting.request));
    }
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

  return {
    tryTake: (request) => (conflicts(request) || !mayOvertake() ? undefined : begin(request)),

    async take(request, signal) {
      const { maxWaitMs, onWait } = request;
      const { promise, resolve } = Promise.withResolvers<Turn>();
      const waiting: Waiting = { request, start: resolve };
      queue.push(waiting);
      const mustWait = isAsker(request);
      const timeout = AbortSignal.timeout(mustWait ? maxWaitMs : Math.min(maxWaitMs, patienceMs));
      const resumeClock = onWait?.();
      try {
        return await abortable(promise, signal ? AbortSignal.any([signal, timeout]) : timeout);
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

function busy(server: string, maxWaitMs: number, cause: unknown): ToolwharfError {
  const message = `Server '${server}' was busy with the call of another client for ${maxWaitMs} ms; this call was not sent. Set isolation: session to give each client its own session`;
  return new ToolwharfError('CALL_TIMED_OUT', message, { cause, data: { reached: false } });
}
