// The gateway's processor time per call with typical servers, relative to the raw echo server, after warm-up.
import { load } from '../parts/processes.mjs';
import { median, row } from '../parts/statistics.mjs';
import { openUpstream, rawHttp, upstreams } from '../parts/upstreams.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'Upstreams';

const args = { text: 'hello' };
const warmUpMs = 10_000;

export function measure({ repeats, ms, against }) {
  return inWorkplace(async ({ keep, gateway }) => {
    const opened = [];
    for (const one of upstreams) opened.push(await openUpstream(one, keep));
    const ours = await gateway(Object.fromEntries(opened.map(({ id, spec }) => [id, spec])));
    const url = `${ours.address}/mcp`;
    const through = ({ id }, options) => load({ url, era: 'legacy', tool: `${id}__echo`, args, ...options }, [ours]);
    for (const upstream of opened) await through(upstream, { clients: 64, ms: warmUpMs });
    const rows = [];
    for (const clients of [1, 16, 64]) {
      const runs = new Map(opened.map(({ id }) => [id, []]));
      const direct = new Map(opened.map(({ id }) => [id, []]));
      const other = [];
      for (let turn = 0; turn < repeats; turn++) {
        for (const upstream of opened) {
          runs.get(upstream.id).push(await through(upstream, { clients, ms }));
          if (!upstream.process) continue;
          const common = { url: upstream.process.address, tool: 'echo', args, clients, ms, era: 'legacy' };
          direct.get(upstream.id).push(await load(common, [upstream.process]));
        }
        if (against) other.push(await load({ ...against, era: 'legacy', args, clients, ms }, against.served ?? []));
      }
      const floor = runs.get(rawHttp.id);
      for (const { id, name } of opened) {
        const measured = runs.get(id);
        const perSecond = median(measured.map((one) => one.perSecond));
        const directly = direct.get(id);
        const figures = {
          cpuMsPerCall: median(measured.map((one) => one.cpuMsPerCall[0])),
          callsPerSecond: perSecond,
          ofDirect: directly.length > 0 ? perSecond / median(directly.map((one) => one.perSecond)) : undefined,
          p50: median(measured.map((one) => one.p50)),
          p99: median(measured.map((one) => one.p99)),
          rssMb: ours.rssMb(),
        };
        const ratios = measured.map((one, at) => one.cpuMsPerCall[0] / floor[at].cpuMsPerCall[0]);
        rows.push(row('upstreams', `${name}, ${plural(clients)}: processor time to the raw server's`, ratios, figures));
      }
      if (against)
        rows.push(
          row('upstreams', `the other gateway, ${plural(clients)}`, [1], {
            cpuMsPerCall: median(other.map((one) => one.cpuMsPerCall[0] ?? Number.NaN)),
            callsPerSecond: median(other.map((one) => one.perSecond)),
            p50: median(other.map((one) => one.p50)),
          }),
        );
    }
    return rows;
  });
}

const plural = (clients) => `${clients} ${clients === 1 ? 'client' : 'clients'}`;
