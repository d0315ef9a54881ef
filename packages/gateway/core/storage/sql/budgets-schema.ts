import { sql } from 'kysely';
import type { Migration } from './engine.ts';

/** What calls use of budgets. Amounts are millionths in 64 bits. */
export const budgetsSchema: Migration = {
  version: 2,
  name: 'budgets',
  async up(db, { bigint }) {
    const statements = [
      `create table budget_accounts (
        budget text not null, subject text not null, label text not null, used NUMBER not null, until NUMBER not null,
        primary key (budget, subject)
      )`,
      `create table budget_charges (
        budget text not null, subject text not null, call_id text not null, at NUMBER not null, amount NUMBER not null,
        primary key (budget, subject, call_id),
        foreign key (budget, subject) references budget_accounts (budget, subject) on delete cascade
      )`,
      'create index budget_charges_by_time on budget_charges (budget, subject, at, amount, call_id)',
      'create index budget_accounts_by_end on budget_accounts (until)',
    ];
    for (const statement of statements) await sql.raw(statement.replaceAll('NUMBER', bigint)).execute(db);
  },
};
