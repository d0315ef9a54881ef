// Calls per second on SQLite relative to one replica on PostgreSQL, with commits on disk in both, and what PostgreSQL sees
// per call; then the same load on one to three replicas, and what PostgreSQL sees of idle ones.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startPostgres } from '../../test/support/postgres.ts';
import { countStatements } from '../parts/count-statements.mjs';
import { load, startGateway } from '../parts/processes.mjs';
import { median, row } from '../parts/statistics.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'PostgreSQL and replicas';

const warmUpCalls = 10_000;
const mostReplicas = 3;

export function measure({ repeats, ms }) {
  return inWorkplace(async ({ directory, echo, keep }) => {
    const upstream = await echo();
    const postgres = await keep(startPostgres({ isDurable: true }));
    const config = join(directory, 'config.json');
    writeFileSync(config, JSON.stringify({ servers: { http: { url: upstream.address } } }));
    const sqlite = await keep(startGateway(join(directory, 'sqlite'), config));
    const database = await postgres.createUrl();
    const env = { TOOLWHARF_KEY: randomBytes(32).toString('base64') };
    const replicas = [];
    for (let index = 0; index < mostReplicas; index++) {
      const counter = await keep(countStatements(Number(new URL(database).port)));
      const url = new URL(database);
      url.port = String(counter.port);
      const args = ['--database', url.href];
      const gateway = await keep(startGateway(join(directory, `replica-${index}`), config, { args, env }));
      replicas.push({ gateway, counter });
    }
    const run = (gateway, clients, calls) =>
      load(
        {
          ...{ url: `${gateway.address}/mcp`, era: 'legacy', tool: 'http__echo', args: { text: 'hello' } },
          ...{ clients, ms: calls === undefined ? ms : 60_000, calls },
        },
        [gateway],
      );
    for (const gateway of [sqlite, ...replicas.map((one) => one.gateway)]) await run(gateway, 16, warmUpCalls);
    const rows = [];
    for (const clients of [1, 16, 64]) {
      const [{ gateway, counter }] = replicas;
      const pairs = [];
      for (let turn = 0; turn < repeats; turn++) {
        const before = await run(sqlite, clients);
        counter.take();
        const after = await run(gateway, clients);
        const { statements, roundTrips } = counter.take();
        pairs.push({
          ratio: before.perSecond / after.perSecond,
          ...{ sqlite: before.perSecond, postgres: after.perSecond, p50: after.p50 },
          ...{ statements: statements / after.calls, roundTrips: roundTrips / after.calls },
        });
      }
      const figures = toFigures(pairs, ['sqlite', 'postgres', 'p50', 'statements', 'roundTrips']);
      rows.push(
        row(
          'fleet',
          `${clients} clients: calls per second on SQLite to one replica on PostgreSQL`,
          pairs.map(({ ratio }) => ratio),
          figures,
          { budget: 2 },
        ),
      );
    }
    rows.push(...(await withReplicas(replicas, run, repeats)), await withoutLoad(replicas, repeats));
    return rows;
  });
}

/** All replicas share the cores of this machine, so this shows the cost of sharing a journal, not the gain. */
async function withReplicas(replicas, run, repeats) {
  const rows = [];
  let alone = [];
  for (let count = 1; count <= replicas.length; count++) {
    const used = replicas.slice(0, count);
    const turns = [];
    for (let turn = 0; turn < repeats; turn++) {
      for (const { counter } of used) counter.take();
      const results = await Promise.all(used.map(({ gateway }) => run(gateway, Math.round(48 / count))));
      const calls = results.reduce((sum, one) => sum + one.calls, 0);
      const counts = used.map(({ counter }) => counter.take());
      const total = (name) => counts.reduce((sum, one) => sum + one[name], 0) / calls;
      turns.push({
        callsPerSecond: results.reduce((sum, one) => sum + one.perSecond, 0),
        ...{ statements: total('statements'), roundTrips: total('roundTrips') },
      });
    }
    if (count === 1) alone = turns;
    const ratios = turns.map(({ callsPerSecond }, at) => alone[at].callsPerSecond / callsPerSecond);
    const figures = toFigures(turns, ['callsPerSecond', 'statements', 'roundTrips']);
    rows.push(row('fleet', `48 clients: calls per second on one replica to ${count} replicas`, ratios, figures));
  }
  return rows;
}

/** What PostgreSQL sees of each replica that has nothing to do. */
async function withoutLoad(replicas, repeats) {
  const seconds = 10;
  // Leased permits and batches of the load before are returned first.
  await setTimeout(seconds * 1_000);
  const turns = [];
  for (let turn = 0; turn < repeats; turn++) {
    for (const { counter } of replicas) counter.take();
    await setTimeout(seconds * 1_000);
    const counts = replicas.map(({ counter }) => counter.take());
    turns.push(counts.reduce((sum, { statements }) => sum + statements, 0) / replicas.length / seconds);
  }
  return row('fleet', 'an idle replica: statements per second', turns, { statementsPerSecond: median(turns) });
}

function toFigures(runs, names) {
  return Object.fromEntries(names.map((name) => [name, median(runs.map((one) => one[name]))]));
}
