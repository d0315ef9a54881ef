// A server with very many tools: how long the gateway takes to start, refresh, list and search them, and its longest pause meanwhile.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openClient } from '../parts/raw-client.mjs';
import { row } from '../parts/statistics.mjs';
import { eventually, inWorkplace } from '../parts/workplace.mjs';

export const title = 'Servers with very many tools';

const preload = new URL('../parts/loop-delay.mjs', import.meta.url);
const pauseBudgetMs = 100;

export async function measure() {
  const rows = [];
  for (const tools of [10_000, 50_000]) {
    await inWorkplace(async ({ directory, echo, gateway }) => {
      // The echo server has three more tools.
      const upstream = await echo({ TOOLS: String(tools - 3), PAGE: '1000' });
      const file = join(directory, 'delay.json');
      const env = { NODE_OPTIONS: `--import ${preload}`, LOOP_DELAY_FILE: file };
      const server = { http: { url: upstream.address } };
      const settings = { profiles: { default: {}, found: { expose: 'search' } } };
      const options = { env, args: ['--log-level', 'warning'], settings };

      async function longestPause(ours) {
        rmSync(file, { force: true });
        process.kill(ours.pid, 'SIGUSR2');
        await eventually(async () => {
          if (!existsSync(file)) throw new Error('no figures yet');
        });
        return JSON.parse(readFileSync(file, 'utf8'));
      }

      async function report(ours, what, work, { started = performance.now(), ...more } = {}) {
        await work();
        const ms = performance.now() - started;
        const { longestMs, longestTurnMs, longestGcMs } = await longestPause(ours);
        const figures = { ms, longestPauseMs: longestMs, longestTurnMs, longestGcMs, rssMb: ours.rssMb(), ...more };
        rows.push(
          row(
            'scale',
            `${what} of ${tools} tools: processor time of the longest turn to ${pauseBudgetMs} ms`,
            [longestTurnMs / pauseBudgetMs],
            figures,
            { budget: 1 },
          ),
        );
      }

      const startedAt = performance.now();
      const ours = await gateway(server, options);
      const { status } = await fetch(`${ours.address}/readyz`);
      if (status !== 200) throw new Error(`The gateway is not ready: ${status}`);
      const first = { started: startedAt, readyMs: performance.now() - startedAt };
      // Loading the program is not part of it.
      await longestPause(ours);
      const api = (path, init) => fetch(`${ours.address}/api${path}`, init).then((answer) => answer.json());
      const usable = async () => {
        const metrics = await fetch(`${ours.address}/metrics`).then((answer) => answer.text());
        const found = Number(/^toolwharf_tools (\d+)/m.exec(metrics)?.[1] ?? 0);
        if (found < tools) throw new Error(`${found} tools so far`);
      };
      await report(ours, 'first start', () => eventually(usable, { timeoutMs: 120_000, everyMs: 50 }), first);
      // The REST API is loaded with the first request.
      await api('/session');
      await longestPause(ours);
      await report(ours, 'refresh', () => api('/servers/http/refresh', { method: 'POST' }));
      const client = await openClient(`${ours.address}/mcp`, { era: 'legacy' });
      await report(ours, 'tools/list', () => listAll(client));
      await report(ours, 'tools/list again', () => listAll(client));
      client.close();
      const finder = await openClient(`${ours.address}/mcp/found`, { era: 'legacy' });
      const search = (query) => finder.ask(1, 'tools/call', { name: 'search_tools', arguments: { query } });
      await report(ours, 'first search', () => search('echo a text'));
      await report(ours, 'search again', () => search('add two numbers'));
      await report(ours, 'search without results', () => search('zzqqxx wwvvuu qqppoo'));
      const call = { name: 'call_tool', arguments: { name: 'ecko', arguments: {} } };
      await report(ours, 'call of an unknown tool', () => finder.ask(1, 'tools/call', call));
      finder.close();
      await report(ours, 'GET /api/tools', () => api('/tools'));
    });
  }
  return rows;
}

async function listAll(client) {
  let cursor;
  let id = 1;
  do {
    const { body } = await client.ask(id++, 'tools/list', cursor === undefined ? {} : { cursor });
    cursor = /"nextCursor":"([^"]+)"/.exec(body.toString().slice(-2_000))?.[1];
  } while (cursor !== undefined);
}
