import { afterAll, beforeAll } from 'vitest';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { approvalsContract } from './contract/approvals-contract.ts';
import { auditContract } from './contract/audit-contract.ts';
import { conversationsContract } from './contract/conversations-contract.ts';
import { endedSessionsContract } from './contract/ended-sessions-contract.ts';
import { journalContract } from './contract/journal-contract.ts';
import { recordsContract } from './contract/records-contract.ts';
import { storesContract } from './contract/stores-contract.ts';
import { usersContract } from './contract/users-contract.ts';
import { memoryKind, postgresKind, sqliteKind } from './kinds.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

for (const kind of [memoryKind, sqliteKind, postgresKind(() => postgres)]) {
  journalContract(kind);
  approvalsContract(kind);
  storesContract(kind);
  recordsContract(kind);
  conversationsContract(kind);
  usersContract(kind);
  endedSessionsContract(kind);
  auditContract(kind);
}
