// `tools/list` relative to sending the same bytes from memory, and the cost of one server's change.
import { createServer } from 'node:http';
import { openClient } from '../parts/raw-client.mjs';
import { median, row } from '../parts/statistics.mjs';
import { eventually, inWorkplace } from '../parts/workplace.mjs';

export const title = 'Lists of tools';

export async function measure({ repeats }) {
  const rows = [];
  for (const tools of [500, 5_000, 20_000]) {
    await inWorkplace(async ({ echo, gateway }) => {
      const upstream = await echo({ TOOLS: String(tools) });
      const ours = await gateway({ http: { url: upstream.address } });
      const client = await openClient(`${ours.address}/mcp`, { era: 'legacy' });
      const first = await eventually(async () => {
        const answer = await client.ask(1, 'tools/list');
        if (!answer.body.includes(`tool_${tools - 1}`)) throw new Error('the tools are not there yet');
        return answer;
      });
      const file = await serveStatic(first.body);
      const plain = await openClient(file.url, { era: 'modern' });
      const times = { ours: [], file: [] };
      const rounds = Math.max(20, Math.round((repeats * 40_000) / tools / 4));
      for (let round = 0; round < rounds; round++) {
        times.file.push(await timed(() => plain.ask(round, 'tools/list')));
        times.ours.push(await timed(() => client.ask(round, 'tools/list')));
      }
      client.close();
      plain.close();
      file.close();
      const figures = { oursMs: median(times.ours), fileMs: median(times.file), bytes: first.body.length };
      const groups = chunks(
        times.ours.map((ms, at) => ms / times.file[at]),
        repeats,
      );
      rows.push(
        row('lists', `tools/list of ${tools} tools to the same bytes as they are`, groups.map(median), figures, {
          budget: 2,
        }),
      );
    });
  }
  return rows;
}

const timed = async (work) => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

function chunks(values, count) {
  const size = Math.ceil(values.length / count);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, at) => values.slice(at * size, at * size + size));
}

async function serveStatic(body) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}
