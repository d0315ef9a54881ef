import type { ServerResponse } from 'node:http';
import { ToolwharfError } from '../../../../contract/errors.ts';
import type { ReplyMeter } from '../../../../toolwharf/connections/request-host.ts';
import { evictOldest } from '../../../../toolwharf/kernel/evict-oldest.ts';
import { createJsonScale, type JsonScale } from '../../../../toolwharf/kernel/weigh-json.ts';
import { createQuota, type Quota, type QuotaCaller, type Reservation } from './quota.ts';

/**
 * The memory of the results that servers send for one request of a caller. After it is disposed, the memory counts until
 * the client has received the response or has disconnected.
 */
export interface RequestResults extends Disposable {
  /** Reserves memory for one reply; see `RequestHost.openReply`. */
  openReply(subject: string): ReplyMeter;
  /** Postpones the return until the promise has settled. */
  retainUntil(promise: Promise<unknown>): void;
}

/** The response that carries the results of a request. */
export type ResultResponse = Pick<ServerResponse, 'writableFinished' | 'destroyed' | 'destroy' | 'once'>;

/** Limits the memory of results in progress: those that servers are sending, and those that clients have not received. */
export interface ResultMemory extends Pick<Quota, 'name' | 'used' | 'limit' | 'refusals'> {
  /** Without a response, the memory is returned when the results of the request are disposed. */
  open(caller: QuotaCaller, response?: ResultResponse): RequestResults;
}

export interface ResultMemoryOptions {
  readonly limits: () => { readonly total: number; readonly perCaller: number };
  /** The time in which a client must have received a large result. */
  readonly slowClientMs: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** A result that a client has not received completely. */
interface Unreceived {
  readonly caller: string;
  readonly since: number;
  readonly bytes: () => number;
  disconnect(): void;
}

// The number of running calls limits the memory of small results.
const smallBytes = 64 * 1024;
const maxSubjects = 1_000;
/** If memory is short, clients that take longer than this to receive a result are disconnected. */
const patienceMs = 10_000;

export function createResultMemory(options: ResultMemoryOptions): ResultMemory {
  const { limits, slowClientMs, now = () => performance.now() } = options;
  const quota = createQuota({
    name: 'result_bytes',
    unit: 'bytes of results in progress',
    key: 'maxResultMemoryBytes',
    limits,
  });
  const unreceived = new Set<Unreceived>();
  /** The size of the last large result of each tool. */
  const lastBytes = new Map<string, number>();

  /** Disconnects the slow client with the largest result. */
  function disconnectSlow(caller: string | undefined): boolean {
    const before = now() - patienceMs;
    const slow = [...unreceived].filter(
      (one) => one.since <= before && (caller === undefined || one.caller === caller),
    );
    const [largest] = slow.toSorted((one, other) => other.bytes() - one.bytes());
    largest?.disconnect();
    return largest !== undefined;
  }

  /** The memory that a reply will probably need. A caller with no other results is never refused because of it. */
  function expectedBytes(subject: string): number {
    const last = lastBytes.get(subject);
    return last === undefined ? 0 : Math.min(last, Math.floor(limits().perCaller / 4));
  }

  function remember(subject: string, bytes: number): void {
    lastBytes.delete(subject);
    if (bytes <= smallBytes) return;
    lastBytes.set(subject, bytes);
    evictOldest(lastBytes, maxSubjects);
  }

  function awaitClose(caller: QuotaCaller, response: ResultResponse, bytes: () => number, release: () => void): void {
    const timer = setTimeout(disconnect, slowClientMs()).unref();
    const one: Unreceived = { caller: caller.id, since: now(), bytes, disconnect };
    function end(): void {
      clearTimeout(timer);
      unreceived.delete(one);
      release();
    }
    function disconnect(): void {
      end();
      response.destroy();
    }
    unreceived.add(one);
    response.once('close', end);
  }

  const reserve = (caller: QuotaCaller, bytes: number) => quota.reserve(caller, bytes, disconnectSlow);
  const memory: SharedMemory = { expectedBytes, remember, reserve, awaitClose };
  return {
    name: quota.name,
    refusals: quota.refusals,
    get used() {
      return quota.used;
    },
    get limit() {
      return quota.limit;
    },
    open: (caller, response) => new ResultsInProgress(memory, caller, response),
  };
}

/** The state that the results of all requests share. */
interface SharedMemory {
  expectedBytes(subject: string): number;
  remember(subject: string, bytes: number): void;
  reserve(caller: QuotaCaller, bytes: number): Reservation;
  /** Calls `release` when the client has received the response, or was disconnected because it takes too long. */
  awaitClose(caller: QuotaCaller, response: ResultResponse, bytes: () => number, release: () => void): void;
}

/** A class, like the meter below, because every request has one: methods on a prototype cost nothing per request. */
class ResultsInProgress implements RequestResults {
  readonly #memory: SharedMemory;
  readonly #caller: QuotaCaller;
  readonly #response: ResultResponse | undefined;
  #reservation: Reservation | undefined;
  #holders = 1;
  #held = 0;
  #isOver = false;
  /** The sizes of large results, by subject. */
  #sizes: Map<string, number> | undefined;

  constructor(memory: SharedMemory, caller: QuotaCaller, response: ResultResponse | undefined) {
    this.#memory = memory;
    this.#caller = caller;
    this.#response = response;
  }

  openReply(subject: string): ReplyMeter {
    const expected = this.#memory.expectedBytes(subject);
    this.hold(expected);
    if (expected > 0) this.setSize(subject, 0);
    return new HeldReply(this, subject, expected);
  }

  retainUntil(promise: Promise<unknown>): void {
    this.#holders++;
    const returnOne = () => this[Symbol.dispose]();
    promise.then(returnOne, returnOne);
  }

  [Symbol.dispose](): void {
    if (--this.#holders > 0) return;
    if (this.#sizes) for (const [subject, bytes] of this.#sizes) this.#memory.remember(subject, bytes);
    const response = this.#response;
    if (this.#held <= 0 || !response || response.writableFinished || response.destroyed) this.#release();
    else
      this.#memory.awaitClose(
        this.#caller,
        response,
        () => this.#held,
        () => this.#release(),
      );
  }

  hold(bytes: number): void {
    // The rest of a reply whose call was cancelled may still arrive.
    if (this.#isOver) return;
    if (this.#reservation) this.#reservation.add(bytes);
    else if (bytes > 0) this.#reservation = this.#memory.reserve(this.#caller, bytes);
    this.#held += bytes;
  }

  setSize(subject: string, bytes: number): void {
    this.#sizes ??= new Map();
    this.#sizes.set(subject, bytes);
  }

  #release(): void {
    this.#isOver = true;
    this.#held = 0;
    this.#reservation?.[Symbol.dispose]();
  }
}

/** Holds memory for one reply: as much as was expected, or as much as has arrived if that is more. */
class HeldReply implements ReplyMeter {
  readonly #results: ResultsInProgress;
  readonly #subject: string;
  #held: number;
  #received = 0;
  /** The first parts, of which most replies have no more than one. */
  #first: Uint8Array | undefined;
  #others: Uint8Array[] | undefined;
  #scale: JsonScale | undefined;

  constructor(results: ResultsInProgress, subject: string, expected: number) {
    this.#results = results;
    this.#subject = subject;
    this.#held = expected;
  }

  receive(part: Uint8Array): void {
    const bytes = this.#weigh(part);
    if (bytes > 0) this.#results.setSize(this.#subject, bytes);
    if (bytes <= this.#held) return;
    try {
      this.#results.hold(bytes - this.#held);
      this.#held = bytes;
    } catch (cause) {
      this.discard();
      throw discarded(cause);
    }
  }

  discard(): void {
    this.#results.hold(-this.#held);
    this.#held = 0;
    this.#received = 0;
    this.#first = undefined;
    this.#others = undefined;
    this.#scale = undefined;
  }

  #weigh(part: Uint8Array): number {
    this.#received += part.length;
    if (!this.#scale && this.#received <= smallBytes) {
      if (!this.#first) this.#first = part;
      else {
        this.#others ??= [];
        this.#others.push(part);
      }
      return 0;
    }
    if (!this.#scale) {
      this.#scale = createJsonScale();
      if (this.#first) this.#scale.add(this.#first);
      for (const one of this.#others ?? []) this.#scale.add(one);
      this.#first = undefined;
      this.#others = undefined;
    }
    this.#scale.add(part);
    return this.#scale.bytes;
  }
}

/** The error for a result that arrived and could not be kept. The request must not be repeated because of it. */
function discarded(cause: unknown): unknown {
  if (!(cause instanceof ToolwharfError)) return cause;
  const { retryAfterMs: _wait, ...data } = cause.data;
  const message = `The server ran the request, but its reply was discarded. ${cause.message}`;
  return new ToolwharfError('RESULT_DISCARDED', message, { cause, data: { ...data, reached: true } });
}
