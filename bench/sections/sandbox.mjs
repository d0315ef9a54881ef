// Servers in a sandbox: their start and their calls, to the same server without one, in turns.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findSandboxProblem } from '../../packages/gateway/features/sandbox/bubblewrap.ts';
import { load } from '../parts/processes.mjs';
import { median, row } from '../parts/statistics.mjs';
import { eventually, inWorkplace, stdioServer } from '../parts/workplace.mjs';

export const title = 'Sandbox';

const args = { text: 'hello' };
const modes = ['off', 'enforce'];
const warmUpCalls = 10_000;

export async function measure({ repeats, ms }) {
  const problem = await findSandboxProblem(process.env.PATH);
  if (problem !== undefined) {
    console.error(`Not measured: ${problem}`);
    return [];
  }
  return inWorkplace(async ({ gateway, directory }) => {
    const servers = Object.fromEntries(modes.map((sandbox) => [sandbox, { ...stdioServer(), sandbox }]));
    const ours = await gateway(servers, { name: 'sandboxes' });
    const token = (await readFile(join(directory, 'sandboxes', 'admin-token'), 'utf8')).trim();
    const post = async (server, verb) => {
      const options = { method: 'POST', headers: { authorization: `Bearer ${token}` } };
      const response = await fetch(`${ours.address}/api/servers/${server}/${verb}`, options);
      if (!response.ok) throw new Error(`${verb} returned ${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    };
    const connect = async (server) => {
      await post(server, 'disconnect');
      const begun = performance.now();
      await post(server, 'connect');
      return performance.now() - begun;
    };
    for (const mode of modes) await eventually(() => connect(mode));
    const starts = await inTurns(repeats * 2, connect);
    const rows = [toRow('the start of a server until it is connected', starts, 'Ms', (took) => took)];
    const call = (clients, options) => (mode) =>
      load({ url: `${ours.address}/mcp`, era: 'legacy', clients, tool: `${mode}__echo`, args, ...options }, [ours]);
    for (const mode of modes) await call(16, { ms: 60_000, calls: warmUpCalls })(mode);
    for (const clients of [1, 16]) {
      const name = `a call, ${clients} ${clients === 1 ? 'client' : 'clients'}`;
      const runs = await inTurns(repeats, call(clients, { ms }));
      rows.push(toRow(`${name}: time (p50)`, runs, 'P50Ms', ({ p50 }) => p50));
      rows.push(toRow(`${name}: processor time of the gateway`, runs, 'CpuMs', ({ cpuMsPerCall }) => cpuMsPerCall[0]));
    }
    return rows;
  });
}

/** Measures both modes again and again, so that other load on the machine affects them alike. */
async function inTurns(count, measureOne) {
  const runs = [];
  for (let turn = 0; turn < count; turn++) {
    const run = {};
    for (const mode of turn % 2 === 0 ? modes : modes.toReversed()) run[mode] = await measureOne(mode);
    runs.push(run);
  }
  return runs;
}

function toRow(what, runs, unit, figure) {
  const of = (mode) => median(runs.map((run) => figure(run[mode])));
  const ratios = runs.map(({ off, enforce }) => figure(enforce) / figure(off));
  return row('sandbox', `${what}, to without a sandbox`, ratios, {
    [`without${unit}`]: of('off'),
    [`with${unit}`]: of('enforce'),
  });
}
