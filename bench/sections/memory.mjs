// Memory: idle, with 50 servers, with 1 000 sessions, after 1 000 concurrent calls.
import { openClient } from '../parts/raw-client.mjs';
import { row } from '../parts/statistics.mjs';
import { eventually, inWorkplace, stdioServer } from '../parts/workplace.mjs';

export const title = 'Memory';

// V8 returns the memory of the start to the system after a while.
const settled = () => new Promise((resolve) => setTimeout(resolve, 4_000));

export function measure() {
  return inWorkplace(async ({ echo, gateway }) => {
    const idle = await gateway({});
    await settled();
    const idleMb = idle.rssMb();
    const names = Array.from({ length: 50 }, (_, at) => [`server${at}`, stdioServer()]);
    const many = await gateway(Object.fromEntries(names));
    const asking = await openClient(`${many.address}/mcp`, { era: 'legacy' });
    await eventually(async () => {
      const { body } = await asking.ask(1, 'tools/list');
      if (!body.includes('server49__echo')) throw new Error('the servers are not there yet');
    });
    asking.close();
    await settled();

    const upstream = await echo();
    const env = { NODE_OPTIONS: `--import ${new URL('../parts/collect-on-signal.mjs', import.meta.url)}` };
    const ours = await gateway({ http: { url: upstream.address } }, { env });
    const inUse = async () => {
      process.kill(ours.pid, 'SIGUSR2');
      await settled();
      return ours.rssMb();
    };
    const open = () => openClient(`${ours.address}/mcp`, { era: 'legacy' });
    const callAll = (clients) =>
      Promise.all(
        clients.map((client, at) => client.ask(at + 1, 'tools/call', { name: 'http__echo', arguments: { text: '' } })),
      );
    // The first calls compile code and grow the heap, so session memory is measured on a gateway in use.
    const users = await Promise.all(Array.from({ length: 64 }, open));
    for (let round = 0; round < 500; round++) await callAll(users);
    const before = await inUse();
    const clients = [];
    for (let start = 0; start < 1_000; start += 50) {
      const opened = await Promise.all(Array.from({ length: 50 }, open));
      await callAll(opened);
      clients.push(...opened);
    }
    const grown = ours.rssMb() - before;
    const sessions = (await inUse()) - before;
    await callAll(clients);
    const burst = (await inUse()) - before - sessions;
    for (const client of [...users, ...clients]) client.close();
    return [
      row('memory', 'idle', [1], { rssMb: idleMb }),
      row('memory', '50 stdio servers to none', [many.rssMb() / idleMb], { rssMb: many.rssMb() }),
      row('memory', '1 000 more legacy sessions, each with its connection and a call', [(before + sessions) / before], {
        addedMb: sessions,
        addedBeforeCollectingMb: grown,
      }),
      row('memory', '1 000 calls at once', [(before + sessions + burst) / (before + sessions)], { addedMb: burst }),
    ];
  });
}
