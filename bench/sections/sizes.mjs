// Results of 1 KB to 10 MB relative to a direct connection, with servers of the SDK and with the raw echo server.
import { load } from '../parts/processes.mjs';
import { median, row } from '../parts/statistics.mjs';
import { openUpstream, rawHttp, sdkEvents, sdkJson } from '../parts/upstreams.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'Large results';

const sizes = [
  ['1 KB', 1_000],
  ['10 KB', 10_000],
  ['100 KB', 100_000],
  ['1 MB', 1_000_000],
  ['10 MB', 10_000_000],
];

export function measure({ repeats, ms }) {
  return inWorkplace(async ({ keep, gateway }) => {
    const opened = [];
    for (const one of [rawHttp, sdkEvents, sdkJson]) opened.push(await openUpstream(one, keep));
    const settings = { toolbox: { maxResultBytes: 64 * 1024 * 1024 } };
    const ours = await gateway(Object.fromEntries(opened.map(({ id, spec }) => [id, spec])), { settings });
    const rows = [];
    for (const upstream of opened) {
      for (const [name, bytes] of sizes) {
        const common = { era: 'legacy', clients: 1, args: { bytes }, ms };
        const through = { ...common, url: `${ours.address}/mcp`, tool: `${upstream.id}__blob` };
        const direct = { ...common, url: upstream.process.address, tool: 'blob' };
        await load({ ...through, ms: ms / 2 }, [ours]);
        const pairs = [];
        for (let turn = 0; turn < repeats; turn++)
          pairs.push({ direct: await load(direct, [upstream.process]), ours: await load(through, [ours]) });
        const figures = {
          directMs: median(pairs.map((pair) => pair.direct.p50)),
          oursMs: median(pairs.map((pair) => pair.ours.p50)),
          cpuMsPerCall: median(pairs.map((pair) => pair.ours.cpuMsPerCall[0])),
          rssMb: ours.rssMb(),
        };
        const ratios = pairs.map((pair) => pair.ours.p50 / pair.direct.p50);
        rows.push(row('sizes', `${upstream.name}, a result of ${name}: time of a call to direct`, ratios, figures));
      }
    }
    return rows;
  });
}
