import { type BudgetCharge, type BudgetStore, type ExceededBudget, maxUsed } from '../ports/budget-store.ts';

interface Account {
  readonly budget: string;
  readonly subject: string;
  label: string;
  used: bigint;
  /** When the last charge leaves its window. */
  until: number;
  /** The charges by call, oldest first. */
  readonly charges: Map<string, { readonly at: number; amount: bigint }>;
}

/** Budgets in memory: their counts end with the process. */
export function createMemoryBudgets(now: () => number = Date.now): BudgetStore {
  const accounts = new Map<string, Account>();
  const keyOf = ({ budget, subject }: Pick<BudgetCharge, 'budget' | 'subject'>) => JSON.stringify([budget, subject]);

  /** Removes what has left the window. */
  function expire(account: Account | undefined, windowMs: number): bigint {
    for (const [call, { at, amount }] of account?.charges ?? []) {
      if (at > now() - windowMs) break;
      account?.charges.delete(call);
      if (account) account.used -= amount;
    }
    return account?.used ?? 0n;
  }

  function findExceeded(charges: readonly BudgetCharge[], call?: string): readonly ExceededBudget[] {
    return charges.flatMap((charge) => {
      const { budget, windowMs, max, amount, isForced } = charge;
      const account = accounts.get(keyOf(charge));
      const used = expire(account, windowMs);
      const isCharged = call !== undefined && account?.charges.has(call);
      if (isCharged || used + amount <= (isForced ? maxUsed : max)) return [];
      return { budget, used, retryAfterMs: account && amount <= max ? waitFor(account, charge) : undefined };
    });
  }

  function waitFor({ charges, used }: Account, { windowMs, max, amount }: BudgetCharge): number | undefined {
    let left = used;
    for (const { at, amount: freed } of charges.values()) {
      left -= freed;
      if (left + amount <= max) return Math.max(1, at + windowMs - now());
    }
    return undefined;
  }

  function open({ budget, subject, label, windowMs }: BudgetCharge): Account {
    const key = keyOf({ budget, subject });
    let account = accounts.get(key);
    if (!account) {
      for (const [idle, { until }] of accounts) if (until <= now()) accounts.delete(idle);
      account = { budget, subject, label, used: 0n, until: 0, charges: new Map() };
      accounts.set(key, account);
    }
    account.label = label;
    account.until = Math.max(account.until, now() + windowMs);
    return account;
  }

  return {
    check: async (charges) => findExceeded(charges),
    async reserve(call, charges) {
      const exceeded = findExceeded(charges, call);
      if (exceeded.length > 0) return exceeded;
      for (const charge of charges) {
        const account = open(charge);
        if (account.charges.has(call)) continue;
        account.charges.set(call, { at: now(), amount: charge.amount });
        account.used += charge.amount;
      }
      return [];
    },
    async settle(call, charges) {
      for (const charge of charges) {
        const account = accounts.get(keyOf(charge));
        const charged = account?.charges.get(call);
        if (!account || !charged) continue;
        account.used += charge.amount - charged.amount;
        charged.amount = charge.amount;
        if (charge.amount === 0n) account.charges.delete(call);
      }
    },
    async list(budget, windowMs, limit) {
      return [...accounts.values()]
        .filter((account) => account.budget === budget)
        .map((account) => ({ budget, subject: account.subject, label: account.label, used: expire(account, windowMs) }))
        .filter(({ used }) => used > 0n)
        .sort((one, other) => (one.used < other.used ? 1 : one.used > other.used ? -1 : 0))
        .slice(0, limit);
    },
  };
}
