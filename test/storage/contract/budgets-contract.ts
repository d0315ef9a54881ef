import { describe, expect, test } from 'vitest';
import type { BudgetCharge, BudgetStore } from '../../../packages/toolwharf/storage/ports/budget-store.ts';

/** An empty store of budgets. */
export interface OpenedBudgets extends AsyncDisposable {
  readonly store: BudgetStore;
  /** Lets time pass. */
  elapse(ms: number): Promise<void>;
}

export interface BudgetsKind {
  readonly name: string;
  open(): Promise<OpenedBudgets>;
}

const hour = 3_600_000;
const charge = (given: Partial<BudgetCharge> = {}): BudgetCharge => ({
  ...{ budget: 'b', subject: 'ada', label: '{"person":"Ada"}', windowMs: hour, max: 3n, amount: 1n, isForced: false },
  ...given,
});

/** The contract of the stores of budgets. */
export function budgetsContract(kind: BudgetsKind): void {
  describe(`budgets in ${kind.name}`, () => {
    test('of calls at the same time, exactly as many pass as the budget has units', async () => {
      await using opened = await kind.open();
      const { store } = opened;
      const calls = Array.from({ length: 20 }, (_, number) => store.reserve(`call-${number}`, [charge()]));
      const outcomes = await Promise.all(calls);
      expect(outcomes.filter((exceeded) => exceeded.length === 0)).toHaveLength(3);
      expect(await store.list('b', hour, 10)).toEqual([
        { budget: 'b', subject: 'ada', label: '{"person":"Ada"}', used: 3n },
      ]);
      expect(await store.check([charge(), charge({ budget: 'other' })])).toEqual([
        { budget: 'b', used: 3n, retryAfterMs: expect.any(Number) },
      ]);
      expect(await store.reserve('of-max', [charge({ subject: 'max' })])).toEqual([]);
    });

    test('a call is charged for all budgets or for none, once, and gets back what it did not use', async () => {
      await using opened = await kind.open();
      const { store } = opened;
      const wide = charge({ budget: 'wide', max: 100n, amount: 10n });
      expect(await store.reserve('one', [charge({ amount: 3n }), wide])).toEqual([]);
      expect(await store.reserve('one', [charge({ amount: 3n }), wide])).toEqual([]);
      expect(await store.reserve('two', [wide, charge()])).toMatchObject([{ budget: 'b', used: 3n }]);
      expect(await store.list('wide', hour, 10)).toMatchObject([{ used: 10n }]);
      await store.settle('one', [
        { budget: 'b', subject: 'ada', amount: 0n },
        { ...wide, amount: 15n },
      ]);
      await store.settle('gone', [{ ...wide, amount: 50n }]);
      expect(await store.list('b', hour, 10)).toEqual([]);
      expect(await store.list('wide', hour, 10)).toMatchObject([{ used: 15n }]);
      expect(await store.reserve('two', [wide, charge()])).toEqual([]);
      expect(await store.list('wide', hour, 10)).toMatchObject([{ used: 25n }]);
    });

    test('a charge leaves the window with its own time, and an exceeded budget says when enough has left it', async () => {
      await using opened = await kind.open();
      const { store, elapse } = opened;
      await store.reserve('one', [charge({ amount: 1n })]);
      await elapse(hour / 2);
      await store.reserve('two', [charge({ amount: 2n })]);
      const [first] = await store.check([charge()]);
      expect(first?.retryAfterMs).toBeGreaterThan(0);
      expect(first?.retryAfterMs).toBeLessThanOrEqual(hour / 2);
      const [both] = await store.check([charge({ amount: 3n })]);
      expect(both?.retryAfterMs).toBeGreaterThan(hour / 2);
      expect(await store.check([charge({ amount: 4n })])).toEqual([{ budget: 'b', used: 3n, retryAfterMs: undefined }]);
      await elapse(hour / 2);
      expect(await store.list('b', hour, 10)).toMatchObject([{ used: 2n }]);
      expect(await store.reserve('three', [charge()])).toEqual([]);
      expect(await store.reserve('four', [charge()])).toMatchObject([{ used: 3n }]);
      await store.settle('one', [charge({ amount: 0n })]);
      expect(await store.list('b', hour, 10)).toMatchObject([{ used: 3n }]);
    });

    test('what a person allows is charged above the maximum, and amounts of 64 bits are exact', async () => {
      await using opened = await kind.open();
      const { store } = opened;
      const max = 9_000_000_000_000_000_000n;
      const large = charge({ max, amount: 8_999_999_999_999_999_999n });
      expect(await store.reserve('one', [large])).toEqual([]);
      expect(await store.reserve('two', [charge({ max })])).toEqual([]);
      expect(await store.reserve('three', [charge({ max })])).toMatchObject([{ used: max }]);
      expect(await store.reserve('three', [charge({ max, isForced: true })])).toEqual([]);
      expect(await store.list('b', hour, 10)).toMatchObject([{ used: max + 1n }]);
      // Rather no call than a sum that does not fit.
      expect(await store.reserve('four', [{ ...large, isForced: true }])).toMatchObject([{ used: max + 1n }]);
      expect(await store.list('b', hour, 10)).toMatchObject([{ used: max + 1n }]);
    });
  });
}
