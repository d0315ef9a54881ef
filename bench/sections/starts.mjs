// The time until the last server's first call is answered, relative to the start of the servers alone.
import { spawn } from 'node:child_process';
import { echoStdio } from '../parts/processes.mjs';
import { openClient } from '../parts/raw-client.mjs';
import { median, row } from '../parts/statistics.mjs';
import { eventually, inWorkplace, stdioServer } from '../parts/workplace.mjs';

export const title = 'Start';

export async function measure({ repeats }) {
  const rows = [];
  const empty = [];
  for (let turn = 0; turn < repeats; turn++) {
    await inWorkplace(async ({ gateway }) => {
      const begun = performance.now();
      await gateway({});
      empty.push(performance.now() - begun);
    });
  }
  rows.push(row('start', 'ready without servers', [1], { ms: median(empty) }));
  for (const count of [1, 10, 50]) {
    const runs = [];
    for (let turn = 0; turn < Math.min(repeats, 3); turn++) runs.push(await startMany(count, median(empty)));
    const figures = {
      oursMs: median(runs.map(({ ours }) => ours)),
      serversMs: median(runs.map(({ servers }) => servers)),
      rssMb: median(runs.map(({ rssMb }) => rssMb)),
    };
    const ratios = runs.map(({ ours, servers }) => ours / servers);
    rows.push(
      row('start', `${count} stdio servers until each answered a call, to the servers by themselves`, ratios, figures),
    );
  }
  return rows;
}

async function startMany(count, empty) {
  const servers = await startByThemselves(count);
  return inWorkplace(async ({ gateway }) => {
    const names = Array.from({ length: count }, (_, at) => `server${at}`);
    const begun = performance.now();
    const ours = await gateway(Object.fromEntries(names.map((name) => [name, stdioServer()])));
    const client = await openClient(`${ours.address}/mcp`, { era: 'legacy' });
    for (const [at, name] of names.entries()) {
      await eventually(async () => {
        const params = { name: `${name}__echo`, arguments: { text: 'hello' } };
        const { body } = await client.ask(at + 1, 'tools/call', params);
        if (!body.includes('hello')) throw new Error(`${name} is not there yet`);
      });
    }
    const took = performance.now() - begun;
    client.close();
    return { ours: Math.max(0, took - empty), servers, rssMb: ours.rssMb() };
  });
}

/** The same programs without a gateway: all spawned at once, one call each. */
async function startByThemselves(count) {
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, [echoStdio], { stdio: ['pipe', 'pipe', 'inherit'] });
      const call = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: 'hello' } },
      };
      child.stdin.write(`${JSON.stringify(call)}\n`);
      await new Promise((resolve) => child.stdout.once('data', resolve));
      child.stdin.end();
      await new Promise((resolve) => child.once('exit', resolve));
    }),
  );
  return performance.now() - begun;
}
