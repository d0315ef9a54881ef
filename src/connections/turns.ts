import { ToolwharfError } from '../kernel/errors.ts';
import { abortable } from '../kernel/wait.ts';

/** The right of one request to run on a connection whose server may ask questions. */
export interface Turn {
  /** True when the request may lead to a question: its tool has asked before, or has not run often enough to know. */
  readonly mayAsk: boolean;
  /** Questions of this request that are being answered. */
  openQuestions: number;
  /** Records that the tool asks questions whose request is not certain. */
  recordQuestion(): void;
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
}

/**
 * Keeps apart the requests on one legacy session over stdio or SSE, where nothing says which request a question belongs
 * to: a request that may lead to a question runs alone if any client concerned can be asked. All other requests run side
 * by side.
 */
export interface Turns {
  /** A turn that starts now; undefined if the request has to wait. */
  tryTake(request: TurnRequest): Turn | undefined;
  /**
   * Waits in order of arrival; rejects on abort. A request whose tool is known to ask rejects with CALL_TIMED_OUT after
   * `maxWaitMs`. Any other starts beside the running ones after ten seconds: a question that arrives then is refused.
   */
  take(request: TurnRequest, options: { readonly signal?: AbortSignal; readonly maxWaitMs: number }): Promise<Turn>;
}

interface Waiting {
  readonly request: TurnRequest;
  readonly start: (turn: Turn) => void;
}

// A tool that asked nothing in this many calls counts as one that does not ask.
const quietCallsNeeded = 3;
// How long a request waits whose tool has not asked so far: a slow call must not stop those of other clients.
const patienceMs = 10_000;
// How long a server may go on with a cancelled request: one that has asked before, and one that may ask.
const askerReleaseMs = 30_000;
const releaseMs = 3_000;

export function createTurns(server: string): Turns {
  const quietCalls = new Map<string, number>();
  const queue: Waiting[] = [];
  let running = 0;
  let runningMayAsk = 0;
  let runningCanBeAsked = 0;

  function mayAsk({ subject, hasOwnStream }: TurnRequest): boolean {
    return (quietCalls.get(subject) ?? (hasOwnStream ? quietCallsNeeded : 0)) < quietCallsNeeded;
  }

  function conflicts(request: TurnRequest): boolean {
    return running > 0 && (runningMayAsk > 0 || mayAsk(request)) && (runningCanBeAsked > 0 || request.canBeAsked);
  }

  function begin(request: TurnRequest): Turn {
    const { subject } = request;
    const counts = { mayAsk: mayAsk(request) ? 1 : 0, canBeAsked: request.canBeAsked ? 1 : 0 };
    let hasAsked = false;
    running++;
    runningMayAsk += counts.mayAsk;
    runningCanBeAsked += counts.canBeAsked;
    const turn: Turn & { hasEnded: boolean } = {
      mayAsk: counts.mayAsk > 0,
      openQuestions: 0,
      hasEnded: false,
      recordQuestion() {
        hasAsked = true;
        quietCalls.set(subject, Number.NEGATIVE_INFINITY);
      },
      end(isAnswered) {
        if (turn.hasEnded) return;
        turn.hasEnded = true;
        running--;
        runningMayAsk -= counts.mayAsk;
        runningCanBeAsked -= counts.canBeAsked;
        if (isAnswered && !hasAsked && mayAsk(request)) quietCalls.set(subject, (quietCalls.get(subject) ?? 0) + 1);
        startWaiting();
      },
      abandon() {
        if (turn.hasEnded) return;
        // A server whose open question is withdrawn has nothing left to ask.
        if (!turn.mayAsk || turn.openQuestions > 0) return turn.end(false);
        const isAsker = (quietCalls.get(subject) ?? 0) < 0;
        setTimeout(turn.end, isAsker ? askerReleaseMs : releaseMs, false).unref();
      },
    };
    return turn;
  }

  function startWaiting(): void {
    for (let next = queue[0]; next && !conflicts(next.request); next = queue[0]) {
      queue.shift();
      next.start(begin(next.request));
    }
  }

  return {
    tryTake: (request) => (queue.length > 0 || conflicts(request) ? undefined : begin(request)),

    async take(request, { signal, maxWaitMs }) {
      const { promise, resolve } = Promise.withResolvers<Turn>();
      const waiting: Waiting = { request, start: resolve };
      queue.push(waiting);
      const isAsker = (quietCalls.get(request.subject) ?? 0) < 0;
      const timeout = AbortSignal.timeout(isAsker ? maxWaitMs : Math.min(maxWaitMs, patienceMs));
      try {
        return await abortable(promise, signal ? AbortSignal.any([signal, timeout]) : timeout);
      } catch (cause) {
        const at = queue.indexOf(waiting);
        if (at === -1) void promise.then((turn) => turn.end(false));
        else queue.splice(at, 1);
        startWaiting();
        if (signal?.aborted || !timeout.aborted) throw cause;
        if (isAsker) throw busy(server, maxWaitMs, cause);
        return begin(request);
      }
    },
  };
}

function busy(server: string, maxWaitMs: number, cause: unknown): ToolwharfError {
  const message = `Server '${server}' was busy with the call of another client for ${maxWaitMs} ms; this call was not sent. Set isolation: session to give each client a session of its own`;
  return new ToolwharfError('CALL_TIMED_OUT', message, { cause, data: { reached: false } });
}
