import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type FleetReport, runFleet } from './support/run-fleet.ts';

// `npm run test:fleet` draws faults for FLEET_MINUTES; `npm test` injects one of each group. FLEET_SEED repeats the choices.
const isFull = process.env.FLEET === 'full';
const seed = Number(process.env.FLEET_SEED ?? (isFull ? Date.now() % 1_000_000 : 1));
const shortFaults = [
  'kill of a replica',
  'replica stopped past its lease',
  'replica cut off from the database past its lease',
  'crash of the database',
  'client connections reset',
];

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test('three replicas lose no call, run none twice, misroute no answer and exceed no limit while replicas, database and network fail [R6]', {
  timeout: 7_200_000,
}, async () => {
  const extent = isFull
    ? { minutes: Number(process.env.FLEET_MINUTES ?? 10), clients: 12, pauseMs: 60 }
    : { faults: shortFaults, clients: 6, pauseMs: 1_200 };
  const report = await runFleet({
    ...{ postgres, seed, leaseMs: 5_000, ...extent },
    ...(isFull && { onProgress: (line: string) => console.log(line) }),
  });
  print(report);
  expect(report.findings, JSON.stringify(report.findings, null, 2)).toEqual([]);
  for (const kind of ['call', 'approval', 'elicitation', 'cancel', 'idempotency key', 'limit', 'rate', 'single server'])
    expect(report.calls[kind]?.sent, kind).toBeGreaterThan(0);
  if (isFull) expect(report.singleProcesses).toBeGreaterThan(1);
});

function print({ calls, findings, ...figures }: FleetReport): void {
  console.table(calls);
  console.log(JSON.stringify({ ...figures, findings: findings.length }, null, 2));
}
