// The overhead of the gateway per call: {direct, gateway} × {HTTP, stdio upstream} × {legacy, modern} × clients, interleaved.
import { load } from '../parts/processes.mjs';
import { median, row } from '../parts/statistics.mjs';
import { inWorkplace, stdioServer } from '../parts/workplace.mjs';

export const title = 'Calls';

const args = { text: 'hello' };
// Warm-up is a number of calls, not a time, so that fast and slow paths are compiled alike. A gateway runs for weeks,
// and V8 needs tens of thousands of calls to compile its whole path.
const firstCalls = 30_000;
const warmUpCalls = 4_000;

export function measure({ repeats, ms, against }) {
  return inWorkplace(async ({ echo, gateway }) => {
    const direct = await echo();
    const ours = await gateway({ http: { url: direct.address }, stdio: stdioServer() });
    const mcp = `${ours.address}/mcp`;
    const rows = [];
    for (const era of ['legacy', 'modern']) {
      for (const tool of ['http__echo', 'stdio__echo'])
        await load({ url: mcp, era, clients: 64, tool, args, ms: 60_000, calls: firstCalls }, [ours]);
      for (const clients of [1, 16, 64]) {
        const ways = [
          { name: 'direct', url: direct.address, tool: 'echo', served: [direct] },
          { name: 'http', url: mcp, tool: 'http__echo', served: [ours] },
          { name: 'stdio', url: mcp, tool: 'stdio__echo', served: [ours] },
          ...(against ? [{ name: 'other', url: against.url, tool: against.tool, served: [], ...against }] : []),
        ];
        rows.push(
          ...toRows(
            `${era}, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
            await inTurns(ways, { era, clients, ms, repeats }),
          ),
        );
      }
    }
    rows.push(...(await paced(direct, ours, mcp, { repeats, ms })));
    return rows;
  });
}

/** Interleaves the paths, so that other load on the machine affects all of them alike. */
async function inTurns(ways, { era, clients, ms, repeats, pauseMs }) {
  const runs = new Map(ways.map(({ name }) => [name, []]));
  for (const { url, tool, served, authorization } of ways)
    await load({ url, era, clients, tool, args, ms: Math.max(ms, 10_000), calls: warmUpCalls, authorization }, served);
  for (let turn = 0; turn < repeats; turn++) {
    for (const { name, url, tool, served, authorization } of ways)
      runs.get(name).push(await load({ url, era, clients, tool, args, ms, pauseMs, authorization }, served));
  }
  return runs;
}

function toRows(what, runs) {
  const direct = runs.get('direct');
  return [...runs].flatMap(([name, measured]) => {
    const figures = {
      p50: median(measured.map(({ p50 }) => p50)),
      p95: median(measured.map(({ p95 }) => p95)),
      p99: median(measured.map(({ p99 }) => p99)),
      callsPerSecond: median(measured.map(({ perSecond }) => perSecond)),
      cpuMsPerCall:
        measured[0].cpuMsPerCall.length > 0 ? median(measured.map((one) => one.cpuMsPerCall[0])) : undefined,
    };
    if (name === 'direct') return [row('calls', `${what}, direct`, [1], figures)];
    const time = measured.map((one, at) => one.p50 / direct[at].p50);
    const cpu = measured.map((one, at) => one.cpuMsPerCall[0] / direct[at].cpuMsPerCall[0]);
    const rows = [row('calls', `${what}, ${name}: time of a call (p50) to direct`, time, figures)];
    if (figures.cpuMsPerCall !== undefined)
      rows.push(row('calls', `${what}, ${name}: processor time to the echo server's`, cpu, figures, { budget: 3 }));
    return rows;
  });
}

/** Clients that pause between calls: the latency of one caller on a mostly idle machine. */
async function paced(direct, ours, mcp, { repeats, ms }) {
  const ways = [
    { name: 'direct', url: direct.address, tool: 'echo', served: [direct] },
    { name: 'http', url: mcp, tool: 'http__echo', served: [ours] },
    { name: 'stdio', url: mcp, tool: 'stdio__echo', served: [ours] },
  ];
  const runs = await inTurns(ways, { era: 'legacy', clients: 16, ms: ms * 2, repeats, pauseMs: 40 });
  return ['http', 'stdio'].map((name) => {
    const added = (share) => median(runs.get(name).map((one, at) => one[share] - runs.get('direct')[at][share]));
    const figures = {
      addedP50Ms: added('p50'),
      addedP99Ms: added('p99'),
      p50: median(runs.get(name).map((one) => one.p50)),
    };
    const ratios = runs.get(name).map((one, at) => one.p50 / runs.get('direct')[at].p50);
    return row('calls', `16 clients that pause 40 ms, ${name}: time of a call (p50) to direct`, ratios, figures);
  });
}
