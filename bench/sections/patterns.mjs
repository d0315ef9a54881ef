// Clients that pause between calls, arrive all at once, or wait for progress.
import { load } from '../parts/processes.mjs';
import { median, row } from '../parts/statistics.mjs';
import { openUpstream, sdkEvents, sdkStdio1 } from '../parts/upstreams.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'Patterns';

const args = { text: 'hello' };
const warmUpMs = 10_000;
const notifications = 20;

export function measure({ repeats, ms }) {
  return inWorkplace(async ({ keep, gateway }) => {
    const upstream = await openUpstream(sdkEvents, keep);
    const ours = await gateway({ http: upstream.spec, stdio: sdkStdio1.spec });
    const common = { era: 'legacy', args, tool: 'echo' };
    const direct = (options) => load({ ...common, url: upstream.process.address, ...options }, [upstream.process]);
    const through = ({ tool = 'echo', ...options }) =>
      load({ ...common, url: `${ours.address}/mcp`, tool: `http__${tool}`, ...options }, [ours]);
    for (const run of [direct, through]) await run({ clients: 16, ms: warmUpMs });

    const inTurns = async (options) => {
      const pairs = [];
      for (let turn = 0; turn < repeats; turn++)
        pairs.push({ direct: await direct(options), ours: await through(options) });
      return pairs;
    };
    const pauses = await inTurns({ clients: 16, pauseMs: 40, ms: ms * 2 });
    const bursts = await inTurns({ clients: 64, everyMs: 250, ms: ms * 2 });
    const progress = { tool: 'work', args: { steps: notifications }, progress: true };
    const [with1, with16] = [
      await inTurns({ clients: 1, ms, ...progress }),
      await inTurns({ clients: 16, ms, ...progress }),
    ];
    return [
      compared('16 clients that pause 40 ms: time of a call (p50) to direct', pauses),
      compared('64 clients that call at once, four times a second: time of a call (p95) to direct', bursts, 'p95'),
      compared(`${notifications} progress notifications in a call, 1 client: time (p50) to direct`, with1),
      compared(`${notifications} progress notifications in a call, 16 clients: time (p50) to direct`, with16),
    ];
  });
}

function compared(what, pairs, share = 'p50') {
  const added = (figure) => median(pairs.map(({ direct, ours }) => ours[figure] - direct[figure]));
  return row(
    'patterns',
    `SDK 1.x, event stream, ${what}`,
    pairs.map(({ direct, ours }) => ours[share] / direct[share]),
    {
      addedP50Ms: added('p50'),
      addedP99Ms: added('p99'),
      p50: median(pairs.map(({ ours }) => ours.p50)),
      callsPerSecond: median(pairs.map(({ ours }) => ours.perSecond)),
      cpuMsPerCall: median(pairs.map(({ ours }) => ours.cpuMsPerCall[0])),
    },
  );
}
