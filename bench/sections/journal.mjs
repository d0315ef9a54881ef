// Call duration with a large journal relative to an empty one.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { load, startGateway } from '../parts/processes.mjs';
import { median, row } from '../parts/statistics.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'A growing journal';

export function measure({ repeats, ms, journalCalls }) {
  return inWorkplace(async ({ directory, echo }) => {
    const upstream = await echo();
    const config = join(directory, 'config.json');
    const settings = { gateway: { retention: { maxCalls: journalCalls * 2 } } };
    writeFileSync(config, JSON.stringify({ servers: { http: { url: upstream.address } }, ...settings }));
    const places = { empty: join(directory, 'empty'), full: join(directory, 'full') };
    mkdirSync(places.full);
    // The gateway creates the tables, which are then filled.
    await (await startGateway(places.full, config)).stop();
    fill(join(places.full, 'toolwharf.db'), journalCalls);
    const empty = await startGateway(places.empty, config);
    const full = await startGateway(places.full, config);
    try {
      const run = (gateway, calls) =>
        load(
          {
            url: `${gateway.address}/mcp`,
            era: 'legacy',
            clients: 16,
            tool: 'http__echo',
            args: { text: 'hello' },
            ms: calls === undefined ? ms : 60_000,
            calls,
          },
          [gateway],
        );
      for (const gateway of [empty, full]) await run(gateway, 20_000);
      const pairs = [];
      for (let turn = 0; turn < repeats; turn++) pairs.push({ empty: await run(empty), full: await run(full) });
      const figures = {
        emptyP99: median(pairs.map((pair) => pair.empty.p99)),
        fullP99: median(pairs.map((pair) => pair.full.p99)),
      };
      const ratios = pairs.map((pair) => pair.full.p99 / pair.empty.p99);
      return [row('journal', `p99 after ${journalCalls} calls to p99 after none`, ratios, figures, { budget: 1.2 })];
    } finally {
      await empty.stop();
      await full.stop();
    }
  });
}

/** Inserts calls in the gateway's format, in batches. */
export function fill(file, calls) {
  const database = new DatabaseSync(file);
  database.exec('pragma synchronous = off');
  const step = database.prepare('insert into steps (seq, call_id, at, body, previous, hash) values (?, ?, ?, ?, ?, ?)');
  const call = database.prepare(
    'insert into calls (id, seq, first_seq, owner, server, tool, original_name, caller, status, created_at, outcome, duration_ms) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const start = Date.now() - calls;
  let previous = '0'.repeat(64);
  let seq = 0;
  for (let at = 0; at < calls; ) {
    database.exec('begin');
    for (const end = Math.min(at + 10_000, calls); at < end; at++) {
      const id = `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;
      const time = new Date(start + at).toISOString();
      const tool = `tool_${at % 40}`;
      const first = seq + 1;
      for (const status of ['running', 'success']) {
        const record = {
          id,
          server: 'http',
          tool: `http__${tool}`,
          originalName: tool,
          caller: { id: 'local', kind: 'client' },
          arguments: { text: 'hello' },
          definitionHash: previous,
          status,
          createdAt: time,
          startedAt: time,
          ...(status === 'success' && { completedAt: time, result: { content: [{ type: 'text', text: 'hello' }] } }),
        };
        const body = JSON.stringify(record);
        seq++;
        const hash = createHash('sha256')
          .update(JSON.stringify([previous, seq, id, time]))
          .update('\n')
          .update(body)
          .digest('hex');
        step.run(seq, id, time, body, previous, hash);
        previous = hash;
      }
      call.run(id, seq, first, 'bench', 'http', `http__${tool}`, tool, 'local', 'success', start + at, 'success', 0);
    }
    database.exec('commit');
  }
  database.prepare('update chain set head_seq = ?, head_hash = ? where id = 1').run(seq, previous);
  database.close();
}
