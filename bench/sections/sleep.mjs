// Lazy servers: the start of a gateway with many that sleep, to that with one, their memory, and the first call of one of them.
import { openClient } from '../parts/raw-client.mjs';
import { median, row } from '../parts/statistics.mjs';
import { eventually, inWorkplace, stdioServer } from '../parts/workplace.mjs';

export const title = 'Sleep';

const count = 100;

export async function measure({ repeats }) {
  const runs = [];
  for (let turn = 0; turn < Math.min(repeats, 3); turn++)
    runs.push({ one: await startAsleep(1), many: await startAsleep(count) });
  const of = (side, figure) => median(runs.map((run) => run[side][figure]));
  const figures = (name) => ({ oneMs: of('one', name), manyMs: of('many', name) });
  return [
    row(
      'sleep',
      `${count} servers that sleep, ready to list their tools, to one`,
      runs.map(({ one, many }) => many.readyMs / one.readyMs),
      {
        ...figures('readyMs'),
        oneRssMb: of('one', 'rssMb'),
        manyRssMb: of('many', 'rssMb'),
      },
    ),
    row(
      'sleep',
      `the call that wakes one of ${count}, to the only one`,
      runs.map(({ one, many }) => many.wakeMs / one.wakeMs),
      figures('wakeMs'),
    ),
  ];
}

/** Lets servers list their tools once, and starts the gateway again, for which all of them sleep. */
function startAsleep(servers) {
  return inWorkplace(async ({ gateway }) => {
    const names = Array.from({ length: servers }, (_, at) => `server${at}`);
    const lazy = (name) => {
      const { args, ...program } = stdioServer();
      return { ...program, args: [...args, name], lifecycle: 'lazy' };
    };
    const config = Object.fromEntries(names.map((name) => [name, lazy(name)]));
    const open = async () => {
      const begun = performance.now();
      const ours = await gateway(config, { name: 'lazy' });
      const client = await openClient(`${ours.address}/mcp`, { era: 'legacy' });
      await eventually(async () => {
        const { body } = await client.ask(1, 'tools/list', {});
        if (!names.every((name) => body.includes(`${name}__echo`))) throw new Error('not all servers are listed yet');
      });
      return { ours, client, readyMs: performance.now() - begun };
    };
    const first = await open();
    first.client.close();
    await first.ours.stop();
    const { ours, client, readyMs } = await open();
    const rssMb = ours.rssMb();
    const begun = performance.now();
    await client.ask(2, 'tools/call', { name: `${names.at(-1)}__echo`, arguments: { text: 'hello' } });
    const wakeMs = performance.now() - begun;
    client.close();
    return { readyMs, wakeMs, rssMb };
  });
}
