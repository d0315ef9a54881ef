// Memory under load: 64 clients without a pause, then a steady 500 calls per second for minutes.
import { load } from '../parts/processes.mjs';
import { row } from '../parts/statistics.mjs';
import { openUpstream, sdkEvents } from '../parts/upstreams.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'Steady load';

const args = { text: 'hello' };
const perSecond = 500;
const clients = 20;

export function measure({ ms, steadyMs }) {
  return inWorkplace(async ({ keep, gateway }) => {
    const upstream = await openUpstream(sdkEvents, keep);
    // As `npm start` does.
    const ours = await gateway({ sdk: upstream.spec }, { env: { MALLOC_ARENA_MAX: '1' } });
    const common = { url: `${ours.address}/mcp`, era: 'legacy', tool: 'sdk__echo', args };
    await load({ ...common, clients: 64, ms: 10_000 }, [ours]);
    const before = await watched(ours, load({ ...common, clients: 64, ms: ms * 2 }, [ours]));
    const pauseMs = (clients * 1_000) / perSecond;
    const third = () => watched(ours, load({ ...common, clients, pauseMs, ms: steadyMs / 3 }, [ours]));
    const thirds = [await third(), await third(), await third()];
    const [first, , last] = thirds;
    return [
      row('steady', '64 clients without a pause: most memory to least', [before.maxMb / before.minMb], {
        maxRssMb: before.maxMb,
        callsPerSecond: before.run.perSecond,
        cpuMsPerCall: before.run.cpuMsPerCall[0],
      }),
      row(
        'steady',
        `${perSecond} calls per second: most memory in the last third to the first`,
        [last.maxMb / first.maxMb],
        {
          maxRssMb: Math.max(...thirds.map(({ maxMb }) => maxMb)),
          endRssMb: ours.rssMb(),
          minutes: steadyMs / 60_000,
          callsPerSecond: last.run.perSecond,
          cpuMsPerCall: last.run.cpuMsPerCall[0],
        },
      ),
    ];
  });
}

/** The highest and lowest memory of the gateway while `running` goes on. */
async function watched(gateway, running) {
  let maxMb = 0;
  let minMb = Number.POSITIVE_INFINITY;
  const timer = setInterval(() => {
    const mb = gateway.rssMb();
    maxMb = Math.max(maxMb, mb);
    minMb = Math.min(minMb, mb);
  }, 250);
  try {
    const run = await running;
    return { run, maxMb, minMb };
  } finally {
    clearInterval(timer);
  }
}
