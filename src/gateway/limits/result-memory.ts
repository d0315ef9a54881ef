import type { ServerResponse } from 'node:http';
import type { ReplyMeter } from '../../connections/request-host.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { evictOldest } from '../../kernel/evict-oldest.ts';
import { createQuota, type Quota, type QuotaCaller, type Reservation } from './quota.ts';
import { createJsonScale, type JsonScale } from './weigh-json.ts';

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
    return Math.min(lastBytes.get(subject) ?? 0, Math.floor(limits().perCaller / 4));
  }

  function remember(subject: string, bytes: number): void {
    lastBytes.delete(subject);
    if (bytes <= smallBytes) return;
    lastBytes.set(subject, bytes);
    evictOldest(lastBytes, maxSubjects);
  }

  return {
    name: quota.name,
    refusals: quota.refusals,
    get used() {
      return quota.used;
    },
    get limit() {
      return quota.limit;
    },
    open(caller, response) {
      let reservation: Reservation | undefined;
      let holders = 1;
      let held = 0;
      let isOver = false;
      const sizes = new Map<string, number>();

      function hold(bytes: number): void {
        // The rest of a reply whose call was cancelled may still arrive.
        if (isOver) return;
        if (reservation) reservation.add(bytes);
        else if (bytes > 0) reservation = quota.reserve(caller, bytes, disconnectSlow);
        held += bytes;
      }

      function release(): void {
        isOver = true;
        held = 0;
        reservation?.[Symbol.dispose]();
      }

      function returnOne(): void {
        if (--holders > 0) return;
        for (const [subject, bytes] of sizes) remember(subject, bytes);
        if (held > 0 && response && !response.writableFinished && !response.destroyed) awaitClose(response);
        else release();
      }

      function awaitClose(unfinished: ResultResponse): void {
        const timer = setTimeout(disconnect, slowClientMs()).unref();
        const one: Unreceived = { caller: caller.id, since: now(), bytes: () => held, disconnect };
        function end(): void {
          clearTimeout(timer);
          unreceived.delete(one);
          release();
        }
        function disconnect(): void {
          end();
          unfinished.destroy();
        }
        unreceived.add(one);
        unfinished.once('close', end);
      }

      return {
        openReply(subject) {
          const expected = expectedBytes(subject);
          hold(expected);
          if (expected > 0) sizes.set(subject, 0);
          return createReplyMeter(expected, hold, (bytes) => sizes.set(subject, bytes));
        },
        retainUntil(promise) {
          holders++;
          promise.then(returnOne, returnOne);
        },
        [Symbol.dispose]: returnOne,
      };
    },
  };
}

/** Holds memory for one reply: as much as was expected, or as much as has arrived if that is more. */
function createReplyMeter(
  expected: number,
  hold: (bytes: number) => void,
  onSize: (bytes: number) => void,
): ReplyMeter {
  let held = expected;
  let received = 0;
  let early: Uint8Array[] = [];
  let scale: JsonScale | undefined;

  function weigh(part: Uint8Array): number {
    received += part.length;
    if (!scale && received <= smallBytes) {
      early.push(part);
      return 0;
    }
    if (!scale) {
      scale = createJsonScale();
      for (const one of early) scale.add(one);
      early = [];
    }
    scale.add(part);
    return scale.bytes;
  }

  function discard(): void {
    hold(-held);
    held = 0;
    received = 0;
    early = [];
    scale = undefined;
  }

  return {
    receive(part) {
      const bytes = weigh(part);
      if (bytes > 0) onSize(bytes);
      if (bytes <= held) return;
      try {
        hold(bytes - held);
        held = bytes;
      } catch (cause) {
        discard();
        throw discarded(cause);
      }
    },
    discard,
  };
}

/** The error for a result that arrived and could not be kept. The request must not be repeated because of it. */
function discarded(cause: unknown): unknown {
  if (!(cause instanceof ToolwharfError)) return cause;
  const { retryAfterMs: _wait, ...data } = cause.data;
  const message = `The server ran the request, but its reply was discarded. ${cause.message}`;
  return new ToolwharfError('RESULT_DISCARDED', message, { cause, data: { ...data, reached: true } });
}
