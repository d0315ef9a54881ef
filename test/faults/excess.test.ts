import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { fixture, startHttp } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { memoryOf, peakMemory } from './support/memory.ts';
import { scaled } from './support/scale.ts';
import { openWorld } from './support/world.ts';

const unruly = '../../faults/support/unruly-server';
const megabyte = 1_000_000;

describe('an oversized result', () => {
  test('a result without end fails its call at the size limit, memory stays bounded, and other calls continue [R20]', async () => {
    await using world = await openWorld();
    await using http = await startHttp(unruly, { TRANSPORT: 'http', JSON: '1' });
    const limits = { defaultToolConfig: { timeout: '10m' } };
    const config = {
      servers: {
        s: world.program(),
        http: { url: http.url, ...limits },
        stdio: { ...fixture(unruly), ...limits },
        // A server that never responds ends at its deadline.
        endless: { url: http.url, defaultToolConfig: { timeout: scaled(1, 20) * 1_000 } },
        silent: { ...fixture(unruly, { COPY: '2' }), defaultToolConfig: { timeout: scaled(2, 20) * 1_000 } },
      },
    };
    await using gateway = await world.start(config);
    await using client = await connectClient(gateway.url);
    await using other = await world.load.open(gateway.url, 'ada');
    await other.call();
    const megabytes = scaled(800, 2_000);
    const before = memoryOf(gateway.pid);
    const attempts: [tool: string, args: object, said: RegExp][] = [
      ['http__huge', { megabytes }, /more than \d+ bytes; it was not read to its end/],
      ['http__bomb', { megabytes }, /compressed its answer although it was asked not to/],
      ['http__endless', {}, /event of more than \d+ bytes; it was not read to its end/],
      ['endless__events', {}, /did not finish within/],
      ['stdio__huge', { megabytes }, /message of \d+ bytes; at most/],
      ['silent__unterminated', { megabytes }, /did not finish within/],
    ];
    const figures: string[] = [];
    for (const [tool, args, said] of attempts) {
      const failing = client.text(tool, args);
      // Other calls succeed meanwhile.
      expect(await other.call()).toMatchObject({ answer: 'success' });
      expect(await failing, tool).toMatch(said);
      const growth = Math.round((peakMemory(gateway.pid) - before) / megabyte);
      figures.push(`${tool} ${growth} MB`);
      // The limit is 67 MB. A message may exist as chunks, bytes and text at the same time.
      expect(growth, tool).toBeLessThan(600);
    }
    expect(await client.text('http__echo', { text: 'on' })).toBe('on');
    expect(await client.text('stdio__echo', { text: 'on' })).toBe('on');
    await gateway.end('SIGTERM');
    console.log(`excess: ${megabytes} MB each, most memory above the start so far: ${figures.join(', ')}`);
  });
});

describe('a storm of notifications', () => {
  const storms = [
    ['over stdio', 'stdio', ''],
    ["over a call's own stream", 'http', 'own'],
    ['over the standing stream', 'http', 'standing'],
  ] as const;
  // `bench/sections/storms.mjs` measures the slowdown of other calls.
  test.for(storms)(
    '%s is read at a limited rate and coalesced, and calls to other servers succeed meanwhile',
    async ([, transport, over]) => {
      await using world = await openWorld();
      await using http = transport === 'http' ? await startHttp(unruly, { TRANSPORT: 'http', JSON: '1' }) : undefined;
      // On the call's own stream the result follows the rest of the storm.
      const wild = { ...(http ? { url: http.url } : fixture(unruly)), defaultToolConfig: { timeout: '10m' } };
      await using gateway = await world.open({ servers: { s: world.program(), wild } });
      await using client = await connectClient(`${gateway.url}/mcp`);
      await using other = await world.load.open(`${gateway.url}/mcp`, 'ada');
      let received = 0;
      using _listening = stopping(gateway.toolbox.on('server.notified', () => received++));
      const count = scaled(10_000, 100_000);
      const from = performance.now();
      let isOver = false;
      const storm = client.text('wild__storm', { count, over }).finally(() => {
        isOver = true;
      });
      let calls = 0;
      for (; calls === 0 || !isOver; calls++) {
        expect(await other.call()).toMatchObject({ answer: 'success' });
        await wait(scaled(20, 0));
      }
      const { sent, lists, ms } = JSON.parse(await storm) as { sent: number; lists: number; ms: number };
      // The limit is 5 000 per second plus a burst. The rest waits in the pipe.
      expect(received).toBeLessThan((performance.now() - from) * 5 + 2_000);
      expect(sent).toBe(count);
      // At most one list request per 100 ms, whatever number of change notifications arrives.
      expect(lists).toBeLessThan(ms / 100 + 5);
      console.log(
        `storm ${over || transport}: ${sent} notifications in ${Math.round(ms)} ms, the list read ${lists} times, ` +
          `${calls} calls to another server meanwhile`,
      );
      await gateway.close();
      expect(await world.findings()).toEqual([]);
    },
  );
});

/** Converts an unsubscribe function to a disposable. */
function stopping(stop: () => void): Disposable {
  return { [Symbol.dispose]: stop };
}
