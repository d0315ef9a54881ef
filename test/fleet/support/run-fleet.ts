import { setTimeout as wait } from 'node:timers/promises';
import type { SentCall } from '../../faults/support/check-history.ts';
import type { TestPostgres } from '../../support/postgres.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { FleetFinding } from './check-fleet.ts';
import { fleetFaults } from './fleet-faults.ts';
import { type Era, keepAnswering, keepCalling, keepChangingServers, keepRevoking, waitForEnds } from './fleet-load.ts';
import { openFleetWorld } from './fleet-world.ts';
import { createRandom } from './random.ts';

export interface FleetRunOptions {
  readonly postgres: TestPostgres;
  readonly seed: number;
  readonly leaseMs: number;
  readonly clients: number;
  /** The longest pause of a client between two calls. */
  readonly pauseMs: number;
  /** The kinds of faults in order; drawn at random until `minutes` are over if undefined. */
  readonly faults?: readonly string[];
  readonly minutes?: number;
  readonly onProgress?: (line: string) => void;
}

export interface FleetReport {
  readonly seed: number;
  readonly seconds: number;
  readonly replicas: number;
  /** How many calls of each kind were sent, answered, and executed. */
  readonly calls: Readonly<Record<string, { readonly sent: number; readonly succeeded: number; readonly ran: number }>>;
  readonly effects: number;
  readonly records: number;
  /** Records by their end. */
  readonly ends: Readonly<Record<string, number>>;
  /** The errors that clients received, by code. */
  readonly answers: Readonly<Record<string, number>>;
  readonly approvals: Readonly<Record<'allow' | 'deny', number>>;
  readonly revocations: number;
  readonly serverChanges: number;
  readonly mostAtOnce: number;
  /** How many processes of the server with `placement: single` ran, one after the other. */
  readonly singleProcesses: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly findings: readonly FleetFinding[];
}

/** Load of all kinds on three replicas while faults are injected; then the comparison of everything that was recorded. */
export async function runFleet(options: FleetRunOptions): Promise<FleetReport> {
  const { postgres, seed, leaseMs, clients, pauseMs, faults, minutes = 1, onProgress = () => {} } = options;
  const random = createRandom(seed);
  await using world = await openFleetWorld({ postgres, leaseMs });
  const startedAt = performance.now();
  let isOver = false;
  let isSettled = false;
  const parts = () => ({ world, random: random.fork(), pauseMs, isOver: () => isOver });
  const load = Array.from({ length: clients }, (_, index) =>
    keepCalling(parts(), `client-${index}`, (index % 2 ? 'auto' : 'legacy') satisfies Era),
  );
  // Approvals are answered until the last call has ended.
  const answering = keepAnswering({ ...parts(), isOver: () => isSettled });
  const changing = keepChangingServers(parts());
  const revoking = keepRevoking(parts());

  const kinds = Object.keys(fleetFaults);
  try {
    await waitFor(() => succeededOf(world.load.calls) >= clients * 3, { what: 'the first answers' });
    const order = faults?.values() ?? drawUntil(startedAt + minutes * 60_000, () => random.pick(kinds));
    for (const kind of order) {
      await wait(random.between(300, 1_500));
      onProgress(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${kind}; ${world.load.calls.length} calls`);
      const mayDamageJournal = /database|stopped|kill/.test(kind);
      await world.breaking(kind, async () => fleetFaults[kind]?.(world, random), { ofJournal: mayDamageJournal });
    }
    await wait(1_000);
    isOver = true;
    await Promise.all([...load, revoking]);
    await waitForEnds(world);
  } finally {
    isOver = true;
    isSettled = true;
  }
  await answering;
  const serverChanges = await changing;
  for (const { process: replica } of world.replicas) await replica.end('SIGTERM');

  const [effects, records] = [await world.effects(), await world.records()];
  const { calls } = world.load;
  const ran = new Set(effects.map(({ marker }) => marker));
  const singleCalls = new Set(calls.filter(({ kind }) => kind === 'single server').map(({ marker }) => marker));
  const byKind = Object.groupBy(calls, ({ kind = 'call' }) => kind);
  return {
    seed,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    replicas: world.replicas.length,
    calls: Object.fromEntries(
      Object.entries(byKind).map(([kind, sent = []]) => [
        kind,
        {
          sent: sent.length,
          succeeded: succeededOf(sent),
          ran: new Set(sent.filter(({ marker }) => ran.has(marker)).map(({ marker }) => marker)).size,
        },
      ]),
    ),
    effects: effects.length,
    records: records.length,
    ends: countBy(records, ({ end, status }) => end ?? status),
    answers: countBy(calls, ({ answer, code }) => code ?? answer),
    approvals: { allow: 0, deny: 0, ...countBy(world.decisions, ({ answer }) => answer) },
    revocations: world.revocations.length,
    serverChanges,
    singleProcesses: new Set(effects.filter(({ marker }) => singleCalls.has(marker)).map(({ pid }) => pid)).size,
    mostAtOnce: Math.max(0, ...effects.map(({ concurrent = 0 }) => concurrent)),
    faults: countBy(world.faults, ({ kind }) => kind),
    findings: await world.findings(),
  };
}

function succeededOf(calls: readonly SentCall[]): number {
  return calls.filter(({ answer }) => answer === 'success').length;
}

function* drawUntil(endsAt: number, draw: () => string): Generator<string> {
  while (performance.now() < endsAt) yield draw();
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}
