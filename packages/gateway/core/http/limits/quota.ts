import { ToolwharfError } from '../../../../contract/errors.ts';

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
  reserve(caller: QuotaCaller, amount?: number, free?: Free): Reservation;
}

type Free = (caller: string | undefined) => boolean;

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
  const callers = new Map<string, QuotaAccount>();
  const refusals = { caller: 0, total: 0 };
  let used = 0;

  function claim(caller: QuotaCaller, amount: number, free: Free): QuotaAccount {
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

  function release({ id }: QuotaCaller, account: QuotaAccount, amount: number): void {
    account.used -= amount;
    used -= amount;
    if (account.used === 0 && callers.size > maxIdleCallers && callers.get(id) === account) callers.delete(id);
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

  const accounts: QuotaAccounts = { claim, release };
  return {
    name,
    refusals,
    get used() {
      return used;
    },
    get limit() {
      return limits().total;
    },
    reserve: (caller, amount = 1, free = nothingToFree) => new ClaimedPart(accounts, caller, amount, free),
  };
}

const nothingToFree = () => false;

interface QuotaAccount {
  used: number;
}

interface QuotaAccounts {
  claim(caller: QuotaCaller, amount: number, free: Free): QuotaAccount;
  release(caller: QuotaCaller, account: QuotaAccount, amount: number): void;
}

/** A class, because each request has several: methods on a prototype cost nothing per request. */
class ClaimedPart implements Reservation {
  readonly #accounts: QuotaAccounts;
  readonly #caller: QuotaCaller;
  readonly #account: QuotaAccount;
  readonly #free: Free;
  #amount: number;
  #holders = 1;
  #isDisposed = false;

  constructor(accounts: QuotaAccounts, caller: QuotaCaller, amount: number, free: Free) {
    this.#account = accounts.claim(caller, amount, free);
    this.#accounts = accounts;
    this.#caller = caller;
    this.#amount = amount;
    this.#free = free;
  }

  add(more: number): void {
    this.#accounts.claim(this.#caller, more, this.#free);
    this.#amount += more;
  }

  retainUntil(promise: Promise<unknown>): void {
    this.#holders++;
    const release = () => this.#release();
    promise.then(release, release);
  }

  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#release();
  }

  #release(): void {
    if (--this.#holders === 0) this.#accounts.release(this.#caller, this.#account, this.#amount);
  }
}
