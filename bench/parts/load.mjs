// Calls one tool from many concurrent clients in a separate process and prints the measurements as JSON.
import { openClient } from './raw-client.mjs';
import { openSseClient } from './sse-client.mjs';
import { eventually } from './workplace.mjs';

const options = JSON.parse(process.argv[2]);
const { url, era, clients, tool, args, ms, calls: most, authorization } = options;
// With `pauseMs` clients pause between calls, with `everyMs` all of them call at the same moments.
const { pauseMs = 0, everyMs = 0, progress = false } = options;

const open = () => (era === 'sse' ? openSseClient(url) : openClient(url, { era, authorization }));
const opened = await Promise.all(Array.from({ length: clients }, open));
// On a busy machine the gateway may still be connecting to the server.
await eventually(async () => {
  if (!(await callOnce(opened[0], 1))) throw new Error(`${tool} cannot be called`);
});
await Promise.all(opened.map((client) => callOnce(client, 1)));
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));

const latencies = [];
let failures = 0;
const begun = performance.now();
const until = begun + ms;
let left = most ?? Number.POSITIVE_INFINITY;
await Promise.all(opened.map(work));
const seconds = (performance.now() - begun) / 1_000;
latencies.sort((one, other) => one - other);
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
process.stdout.write(
  `${JSON.stringify({ calls: latencies.length, failures, seconds, p50: at(0.5), p95: at(0.95), p99: at(0.99) })}\n`,
);
for (const client of opened) client.close();
process.stdin.destroy();

async function work(client) {
  for (let id = 2; left > 0 && performance.now() < until; id++) {
    left--;
    if (everyMs > 0) await pause(everyMs - ((performance.now() - begun) % everyMs));
    const start = performance.now();
    const ok = await callOnce(client, id);
    latencies.push(performance.now() - start);
    if (!ok) failures++;
    if (pauseMs > 0) await pause(pauseMs * (0.5 + Math.random()));
  }
}

function pause(forMs) {
  return new Promise((resolve) => setTimeout(resolve, forMs));
}

async function callOnce(client, id) {
  const meta = progress && { _meta: { progressToken: id } };
  const { status, body } = await client.ask(id, 'tools/call', { name: tool, arguments: args, ...meta });
  // The beginning of the result is enough to check it.
  return status === 200 && body.includes('"content"') && !body.subarray(0, 4_096).includes('"isError":true');
}
