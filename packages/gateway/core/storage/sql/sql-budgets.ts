import { sql } from 'kysely';
import type { Clock } from '../../../../toolwharf/kernel/clock.ts';
import {
  type BudgetCharge,
  type BudgetStore,
  type ExceededBudget,
  maxUsed,
} from '../../../../toolwharf/storage/ports/budget-store.ts';
import { toIndexText } from '../chain/call-columns.ts';
import type { Database, Engine } from './engine.ts';
import { createGroupCommit } from './group-commit.ts';

type Account = Pick<BudgetCharge, 'budget' | 'subject'>;

/** A part of a transaction. The accounts that it uses are locked. */
interface Work {
  readonly accounts: readonly (Account & Partial<Pick<BudgetCharge, 'label'>>)[];
  run(trx: Database, now: number): Promise<void>;
}

/**
 * Budgets in a database. A transaction locks the accounts of the calls that share it, in one order for all processes, so that no two
 * calls pass the last unit. SQLite has one writer.
 */
export function createSqlBudgets({ db, exclusive }: Pick<Engine, 'db' | 'exclusive'>, clock: Clock): BudgetStore {
  let nextRemoval = 0;
  const commits = createGroupCommit<Work>(async (all) => {
    await db.transaction().execute(async (trx) => {
      await lockAccounts(
        trx,
        all.flatMap(({ accounts }) => accounts),
      );
      const moment = await now(trx);
      for (const { run } of all) await run(trx, moment);
    });
    if (clock.now() < nextRemoval) return;
    nextRemoval = clock.now() + idleMs;
    // Apart from the transaction: no call waits for it or fails with it.
    await removeIdle(db, (await now(db)) - idleMs).catch(() => {});
  });

  /** The clocks of replicas differ. */
  async function now(on: Database): Promise<number> {
    if (exclusive) return clock.now();
    const { rows } = await sql<{ now: number }>`select toolwharf_now() as now`.execute(on);
    return rows[0]?.now ?? clock.now();
  }

  return {
    check: async (charges) => findExceeded(db, charges.map(stored), await now(db)),
    async reserve(call, charges) {
      const id = toIndexText(call);
      const all = charges.map(stored);
      let exceeded: readonly ExceededBudget[] = [];
      await commits.add({
        accounts: all,
        async run(trx, moment) {
          const open = [];
          for (const charge of all) if (!(await isCharged(trx, id, charge))) open.push(charge);
          for (const charge of open) await expire(trx, charge, moment);
          exceeded = await findExceeded(trx, open, moment);
          if (exceeded.length > 0) return;
          for (const charge of open) await add(trx, id, charge, moment);
        },
      });
      return exceeded;
    },
    async settle(call, charges) {
      const id = toIndexText(call);
      const all = charges.map(stored);
      await commits.add({
        accounts: all,
        async run(trx) {
          for (const { budget, subject, amount } of all) {
            const where = sql`budget = ${budget} and subject = ${subject} and call_id = ${id}`;
            const { rows } = await sql<{ amount: string }>`
              select cast(amount as text) as amount from budget_charges where ${where}`.execute(trx);
            const [charged] = rows;
            if (!charged) continue;
            if (amount === 0n) await sql`delete from budget_charges where ${where}`.execute(trx);
            else await sql`update budget_charges set amount = ${toInteger(amount)} where ${where}`.execute(trx);
            await raise(trx, { budget, subject }, amount - BigInt(charged.amount));
          }
        },
      });
    },
    async list(budget, windowMs, limit) {
      const from = (await now(db)) - windowMs;
      const { rows } = await sql<Account & { label: string; used: string }>`
        select account.subject, account.label, cast(account.used - coalesce((
          select sum(amount) from budget_charges
          where budget = account.budget and subject = account.subject and at <= ${from}), 0) as text) as used
        from budget_accounts account where account.budget = ${toIndexText(budget)} and account.used > 0
        order by account.used desc limit ${limit}`.execute(db);
      return rows.map(({ subject, label, used }) => ({ budget, subject, label, used: BigInt(used) }));
    },
  };
}

/** How long an account is kept after its last charge has left the window. */
const idleMs = 3_600_000;
const maxRemoved = 1_000;

async function removeIdle(db: Database, before: number): Promise<void> {
  await sql`
    delete from budget_accounts where until < ${before} and (budget, subject) in (
      select budget, subject from budget_accounts where until < ${before} order by until limit ${maxRemoved})`.execute(
    db,
  );
}

function stored<Charge extends Account>(charge: Charge): Charge {
  return { ...charge, budget: toIndexText(charge.budget), subject: toIndexText(charge.subject) };
}

const toInteger = (amount: bigint) => sql`cast(${amount.toString()} as bigint)`;

/** Creates the accounts that are missing, and locks all of them until the transaction ends. */
async function lockAccounts(trx: Database, accounts: Work['accounts']): Promise<void> {
  const all = new Map(accounts.map((account) => [JSON.stringify([account.budget, account.subject]), account]));
  const keys = [...all.keys()].sort();
  for (const { budget, subject, label } of keys.flatMap((key) => all.get(key) ?? [])) {
    // An update of a row is a lock in both databases.
    if (label === undefined) await raise(trx, { budget, subject }, 0n);
    else
      await sql`
        insert into budget_accounts (budget, subject, label, used, until) values (${budget}, ${subject}, ${label}, 0, 0)
        on conflict (budget, subject) do update set label = excluded.label`.execute(trx);
  }
}

async function isCharged(trx: Database, call: string, { budget, subject }: Account): Promise<boolean> {
  const { rows } = await sql`
    select 1 from budget_charges where budget = ${budget} and subject = ${subject} and call_id = ${call}`.execute(trx);
  return rows.length > 0;
}

/** Removes what has left the window. */
async function expire(trx: Database, { budget, subject, windowMs }: BudgetCharge, now: number): Promise<void> {
  const gone = sql`budget = ${budget} and subject = ${subject} and at <= ${now - windowMs}`;
  const { rows } = await sql<{ amount: string | null }>`
    select cast(sum(amount) as text) as amount from budget_charges where ${gone}`.execute(trx);
  const amount = rows[0]?.amount ?? null;
  if (amount === null) return;
  await sql`delete from budget_charges where ${gone}`.execute(trx);
  await raise(trx, { budget, subject }, -BigInt(amount));
}

/** The budgets that have less left than the charges take. A call that is not the first of its transaction sees those before. */
async function findExceeded(
  on: Database,
  charges: readonly BudgetCharge[],
  now: number,
): Promise<readonly ExceededBudget[]> {
  const exceeded: ExceededBudget[] = [];
  for (const charge of charges) {
    const { budget, subject, windowMs, max, amount, isForced } = charge;
    const { rows } = await sql<{ used: string }>`
      select cast(used - coalesce((
        select sum(amount) from budget_charges
        where budget = ${budget} and subject = ${subject} and at <= ${now - windowMs}), 0) as text) as used
      from budget_accounts where budget = ${budget} and subject = ${subject}`.execute(on);
    const used = BigInt(rows[0]?.used ?? 0);
    if (used + amount <= (isForced ? maxUsed : max)) continue;
    const retryAfterMs = amount <= max ? await waitFor(on, charge, used + amount - max, now) : undefined;
    exceeded.push({ budget: charge.budget, used, retryAfterMs });
  }
  return exceeded;
}

/** How many charges are added up to find out how long a call would have to wait. With more, it may have to wait longer. */
const maxAdded = 1_000;

/** The time until charges of this amount have left the window. */
async function waitFor(
  on: Database,
  { budget, subject, windowMs }: BudgetCharge,
  amount: bigint,
  now: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ at: number; amount: string }>`
    select at, cast(amount as text) as amount from budget_charges
    where budget = ${budget} and subject = ${subject} and at > ${now - windowMs}
    order by at limit ${maxAdded}`.execute(on);
  let left = amount;
  for (const charge of rows) {
    left -= BigInt(charge.amount);
    if (left <= 0n || charge === rows[maxAdded - 1]) return Math.max(1, charge.at + windowMs - now);
  }
  return undefined;
}

async function add(
  trx: Database,
  call: string,
  { budget, subject, windowMs, amount }: BudgetCharge,
  now: number,
): Promise<void> {
  await sql`
    insert into budget_charges (budget, subject, call_id, at, amount)
    values (${budget}, ${subject}, ${call}, ${now}, ${toInteger(amount)})`.execute(trx);
  await sql`
    update budget_accounts set used = used + ${toInteger(amount)}, until = ${now + windowMs}
    where budget = ${budget} and subject = ${subject}`.execute(trx);
}

async function raise(trx: Database, { budget, subject }: Account, by: bigint): Promise<void> {
  await sql`
    update budget_accounts set used = used + ${toInteger(by)} where budget = ${budget} and subject = ${subject}`.execute(
    trx,
  );
}
