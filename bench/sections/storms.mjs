// The slowdown of calls to other servers while one server floods the gateway with notifications.
import { load } from '../parts/processes.mjs';
import { openClient } from '../parts/raw-client.mjs';
import { median, row } from '../parts/statistics.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'Notification storms';

const unruly = new URL('../../test/faults/support/unruly-server.mjs', import.meta.url).pathname;

export function measure({ repeats, ms }) {
  return inWorkplace(async ({ echo, gateway }) => {
    const upstream = await echo();
    const wild = { command: process.execPath, args: [unruly], defaultToolConfig: { timeout: '5m' } };
    const ours = await gateway({ http: { url: upstream.address }, wild });
    const url = `${ours.address}/mcp`;
    const calls = (settings) =>
      load({ url, era: 'legacy', clients: 1, tool: 'http__echo', args: { text: 'hello' }, ...settings }, [ours]);
    await calls({ ms: 60_000, calls: 5_000 });
    const client = await openClient(url, { era: 'legacy' });
    const rounds = [];
    for (let round = 0; round < repeats; round++) {
      const quiet = await calls({ ms });
      // The gateway reads 5 000 notifications per second: the storm lasts longer than the calls beside it.
      const params = { name: 'wild__storm', arguments: { count: Math.ceil(ms / 1_000) * 10_000, over: '' } };
      const storm = client.ask(round + 1, 'tools/call', params);
      rounds.push({ quiet: quiet.p50, stormy: (await calls({ ms })).p50 });
      await storm;
    }
    client.close();
    const figures = {
      quietMs: median(rounds.map(({ quiet }) => quiet)),
      stormyMs: median(rounds.map(({ stormy }) => stormy)),
    };
    const ratios = rounds.map(({ quiet, stormy }) => stormy / quiet);
    return [
      row('storms', 'a call (p50) during a storm of another server to one before it', ratios, figures, { budget: 2 }),
    ];
  });
}
