// Calls per second on SQLite relative to one replica on PostgreSQL, with commits on disk in both, and what PostgreSQL sees
// per call; then the same load on one to three replicas, what PostgreSQL sees of idle ones, and how many calls it can record.
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openPostgres } from '../../packages/gateway/core/storage/postgres/postgres-engine.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
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
    // Its connections to the database do not pass through a proxy, which would take processor time from it.
    const direct = await keep(startGateway(join(directory, 'direct'), config, { args: ['--database', database], env }));
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
    for (const gateway of [sqlite, direct, ...replicas.map((one) => one.gateway)]) await run(gateway, 16, warmUpCalls);
    const rows = [];
    for (const clients of [1, 16, 64]) {
      const [{ gateway, counter }] = replicas;
      const pairs = [];
      for (let turn = 0; turn < repeats; turn++) {
        const before = await run(sqlite, clients);
        const after = await run(direct, clients);
        counter.take();
        const { calls } = await run(gateway, clients);
        const { statements, roundTrips } = counter.take();
        pairs.push({
          ratio: before.perSecond / after.perSecond,
          ...{ sqlite: before.perSecond, postgres: after.perSecond, p50: after.p50 },
          ...{ statements: statements / calls, roundTrips: roundTrips / calls },
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
    rows.push(...(await journalAlone(await postgres.createUrl(), { repeats, ms })));
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

/** The statements that each idle replica sends to PostgreSQL. */
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

/** How many calls of a whole fleet the database can record: all replicas append to one journal, one after the other. */
async function journalAlone(url, { repeats, ms }) {
  const storage = await openPostgres({ url, sealer: createSealer(randomBytes(32)) });
  const recorded = async (writers) => {
    const until = performance.now() + ms;
    let calls = 0;
    const write = async () => {
      for (; performance.now() < until; calls++) {
        const record = createRecord();
        await storage.journal.write(record);
        await storage.journal.write({
          ...record,
          status: 'success',
          result: { content: [{ type: 'text', text: 'hello' }] },
        });
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
    return calls / (ms / 1_000);
  };
  await recorded(16);
  const turns = [];
  for (let turn = 0; turn < repeats; turn++)
    turns.push({ 1: await recorded(1), 16: await recorded(16), 64: await recorded(64), 256: await recorded(256) });
  await storage.close();
  return [16, 64, 256].map((writers) => {
    const callsPerSecond = median(turns.map((turn) => turn[writers]));
    const ratios = turns.map((turn) => turn[1] / turn[writers]);
    return row('fleet', `the journal alone: calls per second of 1 writer to ${writers}`, ratios, { callsPerSecond });
  });
}

function createRecord() {
  return {
    ...{ id: randomUUID(), server: 'http', tool: 'http__echo', originalName: 'echo', status: 'running' },
    ...{ caller: { id: 'local', kind: 'client' }, arguments: { text: 'hello' }, definitionHash: 'a'.repeat(64) },
    createdAt: new Date().toISOString(),
  };
}

function toFigures(runs, names) {
  return Object.fromEntries(names.map((name) => [name, median(runs.map((one) => one[name]))]));
}
