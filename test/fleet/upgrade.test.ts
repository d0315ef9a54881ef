import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SentCall } from '../faults/support/check-history.ts';
import { createPostgresWorkspace } from '../storage/kinds.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { keepAnswering, keepCalling, waitForEnds } from './support/fleet-load.ts';
import { type FleetWorld, openFleetWorld } from './support/fleet-world.ts';
import { extractPrevious, previousVersion, readColumns } from './support/previous-version.ts';
import { createRandom } from './support/random.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test('the tables still have every column of the previous version, which can insert without the new ones', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await (await workspace.open()).close();
  const columns = await readColumns(postgres, workspace.url);
  const previous = previousVersion.columns;
  const oldTables = new Set(previous.map(({ table }) => table));
  const keyOf = ({ table, column }: { table: string; column: string }) => `${table}.${column}`;
  const now = new Map(columns.map((column) => [keyOf(column), column]));
  for (const column of previous) expect(now.get(keyOf(column)), keyOf(column)).toMatchObject({ type: column.type });
  const known = new Set(previous.map(keyOf));
  const required = columns
    .filter((column) => oldTables.has(column.table) && !known.has(keyOf(column)))
    .filter(({ isNullable, hasDefault }) => !isNullable && !hasDefault);
  expect(required.map(keyOf)).toEqual([]);
});

test('replicas of the previous version are replaced one by one, with calls in flight and none lost', async () => {
  await using previous = await extractPrevious();
  if (!previous) {
    console.warn(`Not tested: commit ${previousVersion.commit} is not in this copy. Only the tables were compared.`);
    return;
  }
  await using world = await openFleetWorld({ postgres, replicas: 2, program: previous.program });
  let isOver = false;
  let isSettled = false;
  const random = createRandom(1);
  const parts = () => ({ world, random: random.fork(), pauseMs: 600, isOver: () => isOver });
  const load = Array.from({ length: 6 }, (_, index) =>
    keepCalling(parts(), `client-${index}`, index % 2 ? 'auto' : 'legacy'),
  );
  const answering = keepAnswering({ ...parts(), isOver: () => isSettled });
  try {
    await waitForCalls(world, 20);
    for (const replica of world.replicas) {
      await world.breaking('upgrade', async () => {
        await replica.process.end('SIGTERM');
        await replica.restart(null);
      });
      await waitForCalls(world, 20);
    }
    isOver = true;
    await Promise.all(load);
    await cancelQuestions(world);
    await waitForEnds(world);
  } finally {
    isOver = true;
    isSettled = true;
  }
  await answering;
  for (const { process: replica } of world.replicas) await replica.end('SIGTERM');
  // A replica of the previous version applies limits on its own.
  expect((await world.findings()).filter(({ kind }) => kind !== 'over-limit' && kind !== 'over-rate')).toEqual([]);
});

/** Cancels calls whose client lost its connection before it could answer a question: they would wait for five minutes. */
async function cancelQuestions(world: FleetWorld): Promise<void> {
  for (const { body } of (await world.openCalls()) as readonly { readonly body: string }[]) {
    const { id, originalName } = JSON.parse(body) as { readonly id: string; readonly originalName: string };
    if (originalName === 'ask_first') await world.admin('POST', `/api/calls/${id}/cancel`);
  }
}

/** Waits until this many more calls have succeeded. */
async function waitForCalls({ load }: FleetWorld, count: number): Promise<void> {
  const succeeded = () => load.calls.filter(({ answer }: SentCall) => answer === 'success').length;
  const before = succeeded();
  await waitFor(() => succeeded() >= before + count, { what: `${count} more answers` });
}
