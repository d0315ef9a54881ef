// Ten thousand concurrent calls with sixteen permits, relative to the ideal time.
import { openClient } from '../parts/raw-client.mjs';
import { row } from '../parts/statistics.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'Queue';

const places = 16;
const waitMs = 2;
const connections = 500;

export async function measure() {
  const few = await run(1_000);
  const many = await run(10_000);
  const figures = { callsPerSecondOf1000: few, callsPerSecondOf10000: many };
  return [row('queue', '10 000 waiting calls to 1 000: time of one', [few / many], figures)];
}

function run(calls) {
  return inWorkplace(async ({ echo, gateway }) => {
    const upstream = await echo();
    const settings = { toolbox: { maxConcurrent: places, maxQueued: calls } };
    const ours = await gateway({ http: { url: upstream.address } }, { settings });
    const open = Array.from({ length: connections }, () => openClient(`${ours.address}/mcp`, { era: 'modern' }));
    const clients = await Promise.all(open);
    const params = { name: 'http__wait', arguments: { ms: waitMs } };
    await clients[0].ask(0, 'tools/call', params);
    const begun = performance.now();
    let left = calls;
    await Promise.all(
      clients.map(async (client) => {
        while (left-- > 0) {
          const { status } = await client.ask(left, 'tools/call', params);
          if (status !== 200) throw new Error(`a call was answered with ${status}`);
        }
      }),
    );
    const perSecond = (calls * 1_000) / (performance.now() - begun);
    for (const client of clients) client.close();
    return perSecond;
  });
}
