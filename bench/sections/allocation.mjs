// The memory that a call allocates on the main thread, from samples of all objects. Other programs do not disturb it, unlike times.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from '../parts/processes.mjs';
import { row } from '../parts/statistics.mjs';
import { eventually, inWorkplace } from '../parts/workplace.mjs';

export const title = 'Allocation';

const goal = 50_000;
const calls = 6_000;
const shownPlaces = 10;

export function measure() {
  return inWorkplace(async ({ directory, echo, gateway }) => {
    const upstream = await echo();
    const rows = [];
    for (const era of ['legacy', 'modern']) {
      const file = join(directory, `${era}.json`);
      const preload = new URL('../parts/sample-heap.mjs', import.meta.url);
      const env = { NODE_OPTIONS: `--import ${preload}`, SAMPLE_HEAP: file };
      const ours = await gateway({ http: { url: upstream.address } }, { env });
      const options = { url: `${ours.address}/mcp`, era, tool: 'http__echo', args: { text: 'hello' } };
      const run = () => load({ ...options, clients: 16, ms: 60_000, calls }, [ours]);
      await run();
      process.kill(ours.pid, 'SIGUSR2');
      const measured = await run();
      process.kill(ours.pid, 'SIGUSR2');
      await eventually(() => existsSync(file) || Promise.reject(new Error('no profile was written')), { everyMs: 100 });
      const { bytes, places } = sum(JSON.parse(readFileSync(file, 'utf8')).head, measured.calls);
      const what = `${era} client: bytes of a call on the main thread, to ${goal}`;
      rows.push(row('allocation', what, [bytes / goal], { bytes, ...places }));
    }
    return rows;
  });
}

/** The bytes per call, in all and at the places that allocate most. */
function sum(head, count) {
  const byPlace = new Map();
  let bytes = 0;
  const visit = ({ callFrame: { functionName, url, lineNumber }, selfSize, children }) => {
    const place = `${functionName} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
    byPlace.set(place, (byPlace.get(place) ?? 0) + selfSize);
    bytes += selfSize;
    children.forEach(visit);
  };
  visit(head);
  const most = [...byPlace].sort(([, one], [, other]) => other - one).slice(0, shownPlaces);
  const perCall = (value) => Math.round(value / count);
  return { bytes: perCall(bytes), places: Object.fromEntries(most.map(([place, value]) => [place, perCall(value)])) };
}
