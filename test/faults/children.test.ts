import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { memoryOf } from './support/memory.ts';
import { scaled } from './support/scale.ts';
import { openWorld } from './support/world.ts';

const unruly = (env: Record<string, string> = {}) => fixture('../../faults/support/unruly-server', env);
const megabyte = 1_000_000;

describe('programs that behave badly, all at once', () => {
  test('programs that behave badly all at once cost the others nothing and leave no process [A2, A6]', async () => {
    await using world = await openWorld();
    const limits = { defaultToolConfig: { timeout: '2s' }, timeout: '5s' };
    const config = {
      gateway: { listWait: '3s' },
      servers: {
        s: world.program(),
        crash_loop: fixture('crash-on-start'),
        hang_on_start: { ...fixture('hang-on-start'), ...limits },
        hang_on_stop: fixture('ignore-sigterm'),
        grandchildren: fixture('grandchildren', { PIDS: `${world.directory}/pids` }),
        dies: { ...fixture('die-in-call'), ...limits },
        garbage: fixture('garbage'),
        unterminated: { ...unruly(), ...limits },
        talkative: { ...unruly({ COPY: '2' }), defaultToolConfig: { timeout: '2m' } },
        forking: unruly({ COPY: '3' }),
      },
    };
    await using gateway = await world.start(config);
    await using wild = await connectClient(gateway.url);
    const good = await Promise.all(['ada', 'bob'].map((name) => world.load.open(gateway.url, name)));
    const needed = ['s__act', 'unterminated__unterminated', 'talkative__stderr', 'dies__die', 'forking__forks'];
    await waitFor(async () => {
      const names = await wild.names();
      return needed.every((name) => names.includes(name));
    });
    const seen = new Set(descendantsOf(gateway.pid));
    const before = memoryOf(gateway.pid);
    let isOver = false;
    const load = good.map(async (client) => {
      while (!isOver) expect(await client.call()).toMatchObject({ answer: 'success' });
    });
    for (let round = 0; round < scaled(1, 5); round++) {
      const forks = wild.text('forking__forks', { count: scaled(20, 100) });
      const results = await Promise.all([
        wild.text('unterminated__unterminated', { megabytes: scaled(20, 100) }),
        wild.text('talkative__stderr', { megabytes: scaled(20, 100) }),
        wild.text('dies__die').catch((cause: Error) => cause.message),
      ]);
      // A program that stays silent for longer is found unresponsive, and its connection is closed.
      expect(results[0]).toMatch(/did not finish within 2000 ms|connection to the server was lost/);
      expect(results[1]).toBe('said');
      for (const pid of JSON.parse(await forks) as number[]) seen.add(pid);
      for (const pid of descendantsOf(gateway.pid)) seen.add(pid);
    }
    isOver = true;
    await Promise.all(load);
    for (const line of (await readFile(`${world.directory}/pids`, 'utf8')).split('\n'))
      if (line) seen.add(Number(line));
    const growth = (memoryOf(gateway.pid) - before) / megabyte;
    expect(growth).toBeLessThan(400);
    await Promise.all(good.map((client) => client[Symbol.asyncDispose]()));
    await wild.client.close();
    await gateway.end('SIGTERM');
    await waitFor(() => ![...seen].some(isAlive), { what: 'the end of all processes' });
    expect(await world.findings()).toEqual([]);
    console.log(
      `children: ${world.load.calls.length} calls of the others, ${seen.size} processes ended, ` +
        `memory grew by ${Math.round(growth)} MB, 0 findings`,
    );
  });
});
