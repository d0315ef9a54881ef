// Calls one tool from many concurrent clients in a separate process and prints the measurements as JSON.
import { openClient } from './raw-client.mjs';

const { url, era, clients, tool, args, ms, calls: most, pauseMs = 0, authorization } = JSON.parse(process.argv[2]);

const opened = await Promise.all(Array.from({ length: clients }, () => openClient(url, { era, authorization })));
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
    const start = performance.now();
    const ok = await callOnce(client, id);
    latencies.push(performance.now() - start);
    if (!ok) failures++;
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
  }
}

async function callOnce(client, id) {
  const { status, body } = await client.ask(id, 'tools/call', { name: tool, arguments: args });
  // The beginning of the result is enough to check it.
  return status === 200 && body.includes('"content"') && !body.subarray(0, 4_096).includes('"isError":true');
}
