import { ToolwharfError } from '../../kernel/errors.ts';

/** A caller, as far as limits are concerned. */
export interface QuotaCaller {
  readonly id: string;
  /** False for a caller that only the limits for all callers apply to. */
  readonly isLimited: boolean;
}

/** The right to use a part of a quota. Disposing returns it; disposing twice has no effect. */
export interface Reservation extends Disposable {
  /** Reserves more, or returns a part if the amount is negative. Throws like `reserve`. */
  add(amount: number): void;
  /** Postpones the return until the promise has settled. */
  retainUntil(promise: Promise<unknown>): void;
}

/** A limit on one resource, for each caller and for all callers together. */
export interface Quota {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  /** The number of rejected reservations, by the limit that was reached. */
  readonly refusals: { readonly caller: number; readonly total: number };
  /**
   * Reserves an amount, 1 by default. Throws `LIMIT_REACHED` at the caller's limit and `OVERLOADED` at the limit of all
   * callers, unless `free` releases enough: it releases something of the caller, or of any caller, and returns false if
   * there is nothing to release.
   */
  reserve(caller: QuotaCaller, amount?: number, free?: (caller: string | undefined) => boolean): Reservation;
}

export interface QuotaOptions {
  readonly name: string;
  /** For messages, in the plural. */
  readonly unit: string;
  /** The configuration key of the limit; that of a caller's limit ends with `PerCaller`. */
  readonly key: string;
  readonly limits: () => { readonly total: number; readonly perCaller: number };
}

const maxIdleCallers = 1_000;
/** When a rejected caller should try again. */
const retryAfterMs = 1_000;

export function createQuota({ name, unit, key, limits }: QuotaOptions): Quota {
  const callers = new Map<string, { used: number }>();
  const refusals = { caller: 0, total: 0 };
  let used = 0;

  function claim(caller: QuotaCaller, amount: number, free: (caller: string | undefined) => boolean): { used: number } {
    const { total, perCaller } = limits();
    const isMore = amount > 0;
    let account = callers.get(caller.id);
    if (!account) {
      account = { used: 0 };
      callers.set(caller.id, account);
    }
    while (isMore && caller.isLimited && account.used + amount > perCaller)
      if (!free(caller.id)) throw refuse('caller', perCaller);
    while (isMore && used + amount > total) if (!free(undefined)) throw refuse('total', total);
    account.used += amount;
    used += amount;
    return account;
  }

  function refuse(reached: 'caller' | 'total', limit: number): ToolwharfError {
    refusals[reached]++;
    const data = { limit: name, max: limit, retryAfterMs };
    if (reached === 'total') {
      const message = `The gateway has reached its limit of ${limit} ${unit} for all callers: try again later, or raise gateway.limits.${key}`;
      return new ToolwharfError('OVERLOADED', message, { data });
    }
    const message = `You have reached the limit of ${limit} ${unit} per caller: wait until some have ended, or raise gateway.limits.${key}PerCaller`;
    return new ToolwharfError('LIMIT_REACHED', message, { data });
  }

  return {
    name,
    refusals,
    get used() {
      return used;
    },
    get limit() {
      return limits().total;
    },
    reserve(caller, amount = 1, free = () => false) {
      const account = claim(caller, amount, free);
      let reserved = amount;
      let holders = 1;

      function release(): void {
        if (--holders > 0) return;
        account.used -= reserved;
        used -= reserved;
        if (account.used === 0 && callers.size > maxIdleCallers && callers.get(caller.id) === account)
          callers.delete(caller.id);
      }

      let isDisposed = false;
      return {
        add(more) {
          claim(caller, more, free);
          reserved += more;
        },
        retainUntil(promise) {
          holders++;
          promise.then(release, release);
        },
        [Symbol.dispose]() {
          if (isDisposed) return;
          isDisposed = true;
          release();
        },
      };
    },
  };
}
