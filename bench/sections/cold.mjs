// The first calls of a new gateway, and the time from its start to its first answer.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { load } from '../parts/processes.mjs';
import { openClient } from '../parts/raw-client.mjs';
import { median, row } from '../parts/statistics.mjs';
import { openUpstream, rawHttp, sdkEvents, upstreams } from '../parts/upstreams.mjs';
import { eventually, inWorkplace } from '../parts/workplace.mjs';

export const title = 'Cold';

const args = { text: 'hello' };

export async function measure({ repeats }) {
  const rows = [];
  for (const upstream of [rawHttp, sdkEvents]) {
    const runs = [];
    for (let turn = 0; turn < repeats; turn++) runs.push(await firstCalls(upstream));
    for (const count of [200, 2_000]) {
      const ratios = runs.map((run) => run[count] / run.warm);
      const figures = {
        cpuMsPerCall: median(runs.map((run) => run[count])),
        warm: median(runs.map((run) => run.warm)),
      };
      rows.push(row('cold', `${upstream.name}: the first ${count} calls to warm ones, 16 clients`, ratios, figures));
    }
  }
  for (const id of ['sdk1stdio', 'sdk2stdio']) {
    const upstream = upstreams.find((one) => one.id === id);
    const starts = [];
    for (let turn = 0; turn < repeats; turn++) starts.push(await firstAnswers(upstream));
    for (const [start, described] of Object.entries(startKinds)) {
      const figures = {
        oursMs: median(starts.map((one) => one[start].ms)),
        cpuMs: median(starts.map((one) => one[start].cpuMs)),
        serverMs: median(starts.map(({ alone }) => alone)),
      };
      const ratios = starts.map((one) => one[start].ms / one.alone);
      rows.push(
        row('cold', `${upstream.name}: ${described} to the first answered call, to the server alone`, ratios, figures),
      );
    }
  }
  return rows;
}

const startKinds = {
  first: 'first start, without compiled code and data directory,',
  again: 'start',
};

/** Processor time of the gateway per call: the first 200, the first 2 000, and after 20 000. */
function firstCalls(upstream) {
  return inWorkplace(async ({ keep, gateway }) => {
    const opened = await openUpstream(upstream, keep);
    const ours = await gateway({ [opened.id]: opened.spec });
    const url = `${ours.address}/mcp`;
    const call = async (calls) => {
      const options = { url, era: 'legacy', clients: 16, tool: `${opened.id}__echo`, args, ms: 120_000, calls };
      return (await load(options, [ours])).cpuMsPerCall[0];
    };
    const first200 = await call(200);
    const next1800 = await call(1_800);
    await call(18_000);
    return { 200: first200, 2000: (first200 * 200 + next1800 * 1_800) / 2_000, warm: await call(5_000) };
  });
}

/** The same gateway twice with one data directory and one cache of compiled code, which the first start creates. */
function firstAnswers(upstream) {
  return inWorkplace(async ({ gateway, directory }) => {
    const alone = await startAlone(upstream.spec);
    const start = async () => {
      const begun = performance.now();
      const env = { XDG_CACHE_HOME: join(directory, 'cache'), NODE_COMPILE_CACHE: '' };
      const ours = await gateway({ [upstream.id]: upstream.spec }, { env, name: 'gateway' });
      const client = await openClient(`${ours.address}/mcp`, { era: 'legacy' });
      await eventually(async () => {
        const { body } = await client.ask(1, 'tools/call', { name: `${upstream.id}__echo`, arguments: args });
        if (!body.includes('hello')) throw new Error('the server is not connected yet');
      });
      const found = { ms: performance.now() - begun, cpuMs: ours.cpuMs() };
      client.close();
      await ours.stop();
      return found;
    };
    return { alone, first: await start(), again: await start() };
  });
}

/** The same server started and asked once, without the gateway. */
async function startAlone({ command, args: parameters, env }) {
  const begun = performance.now();
  const child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  const lines = [];
  const answers = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      lines.push(...String(chunk).split('\n').filter(Boolean));
      if (lines.some((line) => line.includes('hello'))) resolve();
    });
  });
  const clientInfo = { name: 'bench', version: '1' };
  const messages = [
    { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 1, method: 'tools/call', params: { name: 'echo', arguments: args } },
  ];
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await answers;
  const took = performance.now() - begun;
  child.stdin.end();
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  return took;
}
