import type { ServerResponse } from 'node:http';
import { createEphemeralMap } from '../../../../toolwharf/kernel/ephemeral-map.ts';
import type { Quota, QuotaCaller } from './quota.ts';

/** Bounds the bytes of responses that clients do not read. The client with the most unread bytes is disconnected. */
export interface UnsentBytes extends Pick<Quota, 'name' | 'used' | 'limit' | 'refusals'>, Disposable {
  track(response: Pick<ServerResponse, 'writableLength' | 'destroy' | 'on'>, caller: QuotaCaller): void;
  /** Measures all responses now, and disconnects clients above a limit. */
  check(): void;
}

interface Tracked {
  readonly number: number;
  readonly response: Pick<ServerResponse, 'writableLength' | 'destroy'>;
  readonly caller: QuotaCaller;
}

export interface UnsentBytesOptions {
  readonly limits: () => { readonly total: number; readonly perCaller: number };
}

const checkEveryMs = 250;

export function createUnsentBytes({ limits }: UnsentBytesOptions): UnsentBytes {
  const open = createEphemeralMap<number, Tracked>();
  let added = 0;
  const refusals = { caller: 0, total: 0 };
  let used = 0;

  /** Disconnects the clients with the most unread bytes until the rest is within the limit. */
  function limit(some: readonly Tracked[], max: number, reason: 'caller' | 'total'): void {
    let left = sum(some);
    if (left <= max) return;
    for (const tracked of some.toSorted((one, other) => unread(other) - unread(one))) {
      if (left <= max) return;
      left -= unread(tracked);
      open.delete(tracked.number);
      tracked.response.destroy();
      refusals[reason]++;
    }
  }

  function check(): void {
    const unsent = [...open.values()].filter((tracked) => unread(tracked) > 0);
    const { total, perCaller } = limits();
    const limited = unsent.filter(({ caller }) => caller.isLimited);
    for (const own of Map.groupBy(limited, ({ caller }) => caller.id).values()) limit(own, perCaller, 'caller');
    const rest = unsent.filter((tracked) => open.has(tracked.number));
    limit(rest, total, 'total');
    used = sum(rest);
  }

  const timer = setInterval(check, checkEveryMs).unref();
  return {
    name: 'unsent_bytes',
    refusals,
    get used() {
      return used;
    },
    get limit() {
      return limits().total;
    },
    track(response, caller) {
      const number = added++;
      open.set(number, { number, response, caller });
      response.on('close', () => open.delete(number));
    },
    check,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function unread({ response }: Tracked): number {
  return response.writableLength;
}

function sum(some: readonly Tracked[]): number {
  return some.reduce((total, tracked) => total + unread(tracked), 0);
}
