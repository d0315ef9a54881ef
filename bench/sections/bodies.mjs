// The slowdown of calls while another caller sends the most expensive bodies that the gateway accepts, and larger ones.
import { load } from '../parts/processes.mjs';
import { openClient } from '../parts/raw-client.mjs';
import { median, row } from '../parts/statistics.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'Expensive bodies';

const senders = 20;
const wide = (members) => Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, 1]));
const bodies = { 'accepted bodies of 9 900 members': 9_900, 'rejected bodies of 280 000 members': 280_000 };

export function measure({ repeats, ms }) {
  return inWorkplace(async ({ echo, gateway }) => {
    const upstream = await echo();
    const ours = await gateway({ http: { url: upstream.address } });
    const url = `${ours.address}/mcp`;
    const calls = (settings) =>
      load({ url, era: 'legacy', clients: 1, tool: 'http__echo', args: { text: 'hello' }, ...settings }, [ours]);
    await calls({ ms: 60_000, calls: 5_000 });
    const rows = [];
    for (const [what, members] of Object.entries(bodies)) {
      const rounds = [];
      for (let round = 0; round < repeats; round++) {
        const quiet = await calls({ ms });
        const attack = startSenders(url, { name: 'http__echo', arguments: { text: 'x', more: wide(members) } });
        const during = await calls({ ms });
        await attack.stop();
        rounds.push({ quiet: quiet.p99, during: during.p99 });
      }
      const figures = {
        quietMs: median(rounds.map(({ quiet }) => quiet)),
        duringMs: median(rounds.map(({ during }) => during)),
      };
      const ratios = rounds.map(({ quiet, during }) => during / quiet);
      rows.push(
        row('bodies', `a call (p99) beside ${senders} senders of ${what} to one alone`, ratios, figures, { budget: 2 }),
      );
    }
    return rows;
  });
}

/** Clients that send the same call again and again. The gateway closes the connection of a body that it rejects. */
function startSenders(url, params) {
  let isStopped = false;
  async function send() {
    while (!isStopped) {
      const client = await openClient(url, { era: 'legacy' });
      try {
        for (let id = 1; !isStopped; id++) await client.ask(id, 'tools/call', params);
      } catch {
        // Closed by the gateway.
      } finally {
        client.close();
      }
    }
  }
  const all = Array.from({ length: senders }, send);
  return {
    async stop() {
      isStopped = true;
      await Promise.all(all);
    },
  };
}
