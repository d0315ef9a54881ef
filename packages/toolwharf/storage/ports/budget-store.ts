/** What a call takes from a budget of one subject. Amounts are millionths, so that they are exact. */
export interface BudgetCharge {
  /** The id of the budget. */
  readonly budget: string;
  /** Whose calls are counted together. */
  readonly subject: string;
  /** The subject as people see it. */
  readonly label: string;
  readonly windowMs: number;
  readonly max: bigint;
  readonly amount: bigint;
  /** Charged also if it exceeds the budget. */
  readonly isForced: boolean;
}

/** The most that an account can have used, also by forced charges: an integer of 64 bits. */
export const maxUsed = 2n ** 63n - 1n;

/** A budget that has less left than a call takes. */
export interface ExceededBudget {
  readonly budget: string;
  /** Used within the window, without the call. */
  readonly used: bigint;
  /** When enough has left the window; undefined if waiting does not help. */
  readonly retryAfterMs?: number;
}

/** What one subject has used of a budget. */
export interface BudgetUse {
  readonly budget: string;
  readonly subject: string;
  readonly label: string;
  readonly used: bigint;
}

/** Counts what calls use of budgets. All processes on one storage share the counts. */
export interface BudgetStore {
  /** The budgets that these charges would exceed. */
  check(charges: readonly BudgetCharge[]): Promise<readonly ExceededBudget[]>;
  /**
   * Charges a call: all of its charges, or none if that exceeds a budget. Resolves with the exceeded budgets when the charges are
   * durable. What a call is charged already is not charged again.
   */
  reserve(call: string, charges: readonly BudgetCharge[]): Promise<readonly ExceededBudget[]>;
  /** Replaces what a call was charged; 0 gives it back. Charges that have left their window stay as they are. */
  settle(call: string, charges: readonly Pick<BudgetCharge, 'budget' | 'subject' | 'amount'>[]): Promise<void>;
  /** The subjects that use most of a budget now, at most `limit` of them. */
  list(budget: string, windowMs: number, limit: number): Promise<readonly BudgetUse[]>;
}
