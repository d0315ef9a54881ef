import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../packages/toolwharf/kernel/clock.ts';
import { createMemoryBudgets } from '../../packages/toolwharf/storage/memory/memory-budgets.ts';
import type { BudgetCharge } from '../../packages/toolwharf/storage/ports/budget-store.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { budgetsContract } from './contract/budgets-contract.ts';
import { createPostgresWorkspace, memoryKind, postgresKind, type StorageKind, sqliteKind } from './kinds.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** A clock that a test sets forward. */
function createClock() {
  let passed = 0;
  return { now: () => Date.now() + passed, elapse: (ms: number) => (passed += ms) };
}

function inStorage({ name, createWorkspace }: StorageKind) {
  budgetsContract({
    name,
    async open() {
      const workspace = await createWorkspace();
      const { now, elapse } = createClock();
      const storage = await workspace.open({ clock: { ...systemClock, now } });
      return {
        store: storage.budgets,
        async elapse(ms) {
          elapse(ms);
          // Replicas use the clock of the database.
          if (name === 'postgres') await workspace.sql(`update budget_charges set at = at - ${ms}`);
        },
        async [Symbol.asyncDispose]() {
          await storage.close();
          workspace[Symbol.dispose]();
        },
      };
    },
  });
}

for (const kind of [memoryKind, sqliteKind, postgresKind(() => postgres)]) inStorage(kind);

budgetsContract({
  name: 'a library',
  async open() {
    const { now, elapse } = createClock();
    return {
      store: createMemoryBudgets(now),
      elapse: async (ms) => void elapse(ms),
      [Symbol.asyncDispose]: async () => {},
    };
  },
});

const charge = (budget: string, subject = 'ada'): BudgetCharge => ({
  ...{ budget, subject, label: '{}', windowMs: 3_600_000, max: 10n, amount: 1n, isForced: false },
});

test('three replicas let exactly as many calls pass as the budgets have units, in whatever order calls name the budgets', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await workspace.open();
  await using two = await workspace.open();
  await using three = await workspace.open();
  const calls = Array.from({ length: 90 }, (_, number) => {
    const storage = [one, two, three][number % 3] ?? one;
    const charges = [charge('a'), charge('b'), charge('c')];
    return storage.budgets.reserve(`call-${number}`, number % 2 === 0 ? charges : charges.toReversed());
  });
  const outcomes = await Promise.all(calls);
  expect(outcomes.filter((exceeded) => exceeded.length === 0)).toHaveLength(10);
  for (const budget of ['a', 'b', 'c'])
    expect(await two.budgets.list(budget, 3_600_000, 10)).toMatchObject([{ used: 10n }]);
});

test.each([
  ['SQLite', async () => sqliteKind.createWorkspace()],
  ['PostgreSQL', async () => createPostgresWorkspace(postgres)],
])(
  'what was used survives a restart, and accounts without charges in their window are removed later (%s)',
  async (_name, create) => {
    using workspace = await create();
    const before = await workspace.open();
    await before.budgets.reserve('one', [charge('a'), charge('idle')]);
    await before.close();
    await using storage = await workspace.open();
    expect(await storage.budgets.list('a', 3_600_000, 10)).toMatchObject([{ used: 1n }]);
    await workspace.sql(`update budget_accounts set until = 1 where budget = 'idle'`);
    await storage.budgets.reserve('two', [charge('a')]);
    const rows = await workspace.sql('select distinct budget from budget_charges');
    expect(rows).toEqual([{ budget: 'a' }]);
  },
);
