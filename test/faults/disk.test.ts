import { execFileSync } from 'node:child_process';
import { readFileSync, truncateSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { patienceMs, waitFor } from '../support/wait-for.ts';
import type { LoadClient } from './support/load.ts';
import { scaled } from './support/scale.ts';
import { openWorld, type World } from './support/world.ts';

describe('a gateway that cannot write its journal', () => {
  test('a full disk makes calls fail with the reason, and they succeed again once there is space', async () => {
    await using world = await openWorld();
    // No file may grow beyond the limit. With the signal ignored, writes fail as on a full disk.
    const shell = "trap '' XFSZ; ulimit -S -f 1600;";
    await using gateway = await world.start({ servers: { s: world.program() } }, { shell });
    await using client = await world.load.open(gateway.url, 'ada');
    const underWay = Array.from({ length: scaled(2, 20) }, () => client.call({ how: 'hold' }));
    await waitFor(async () => (await world.effects()).length === underWay.length);
    expect(await callUntil(client, 'JOURNAL_UNAVAILABLE')).toBeDefined();
    // One record may fit where ten did not, so the remaining space is used up too.
    limitFiles(gateway.pid, '0');
    const before = (await world.effects()).length;
    for (let round = 0; round < scaled(2, 50); round++) {
      expect(await client.call()).toMatchObject({ answer: 'error', code: 'JOURNAL_UNAVAILABLE' });
    }
    expect(await world.effects()).toHaveLength(before);
    // Running calls end with their result, although it cannot be recorded.
    const open = world.countCalls('running');
    expect(open).toBeGreaterThanOrEqual(underWay.length);
    await writeFile(world.holdFile, '');
    for (const call of await Promise.all(underWay)) expect(call).toMatchObject({ answer: 'success' });
    expect(world.countCalls('running')).toBe(open);
    // With free space the same process recovers and writes the missing records.
    limitFiles(gateway.pid, 'unlimited');
    await waitFor(() => world.countCalls('running') === 0, {
      what: 'the ends of the running calls',
    });
    expect(await client.call()).toMatchObject({ answer: 'success' });
    await gateway.end('SIGTERM');
    expect(await world.findings()).toEqual([]);
    console.log(`disk full: ${world.load.calls.length} calls, ${before + 1} effects, 0 findings`);
  });

  test('a failing or read-only disk makes calls fail with the reason, and they succeed again afterwards', async () => {
    await using world = await openWorld();
    await using gateway = await world.open({ servers: { s: world.program() } });
    await using client = await world.load.open(`${gateway.url}/mcp`, 'ada');
    expect(await client.call()).toMatchObject({ answer: 'success' });
    for (const fault of ['disk I/O error', 'attempt to write a readonly database']) {
      using _broken = failWrites(world, fault);
      // Calls accepted before the failure shows are durable in the intake file.
      const call = await callUntil(client, 'JOURNAL_UNAVAILABLE');
      expect((await world.effects()).some(({ marker }) => marker === call?.marker)).toBe(false);
      expect(await client.call()).toMatchObject({ answer: 'error', code: 'JOURNAL_UNAVAILABLE' });
    }
    expect(await client.call()).toMatchObject({ answer: 'success' });
    await gateway.close();
    expect(await world.findings()).toEqual([]);
  });

  test('a locked database lets running calls end with their result and rejects new ones after a timeout', async () => {
    await using world = await openWorld();
    await using gateway = await world.open({ servers: { s: world.program({ SLOW_MS: '300' }) } });
    await using client = await world.load.open(`${gateway.url}/mcp`, 'ada');
    const slow = client.call({ how: 'slow' });
    await waitFor(async () => (await world.effects()).length === 1);
    {
      using other = new DatabaseSync(world.database);
      other.exec('pragma busy_timeout = 60000; begin immediate');
      expect(await slow).toMatchObject({ answer: 'success' });
      expect(await callUntil(client, 'JOURNAL_UNAVAILABLE')).toBeDefined();
      expect(await client.call()).toMatchObject({ answer: 'error', code: 'JOURNAL_UNAVAILABLE' });
      other.exec('rollback');
    }
    expect(await client.call()).toMatchObject({ answer: 'success' });
    await waitFor(() => world.countCalls('running') === 0);
    await gateway.close();
    // Accepted calls ran once, and rejected calls did not run.
    const taken = world.load.calls.filter(({ answer }) => answer === 'success').map(({ marker }) => marker);
    expect((await world.effects()).map(({ marker }) => marker).sort()).toEqual(taken.sort());
    expect(world.load.calls.filter(({ answer }) => answer !== 'success').length).toBeGreaterThanOrEqual(2);
    expect(await world.findings()).toEqual([]);
  });
});

test('a torn last record is dropped at start: the chain verifies and the outcome of that call is unknown', async () => {
  await using world = await openWorld();
  const config = { servers: { s: world.program() } };
  await using first = await world.start(config);
  await using client = await world.load.open(first.url, 'ada');
  for (let round = 0; round < 3; round++) expect(await client.call()).toMatchObject({ answer: 'success' });
  const torn = await world.breaking(
    'torn',
    async () => {
      // The record cannot reach the tables before that.
      using other = new DatabaseSync(world.database);
      other.exec('pragma busy_timeout = 60000; begin immediate');
      const last = await client.call();
      await first.end('SIGKILL');
      for (const file of ['-spool-1', '-spool-2'].map((name) => world.database + name)) {
        const where = readFileSync(file).lastIndexOf(last.marker);
        if (where >= 0) truncateSync(file, where);
      }
      return last;
    },
    { ofJournal: true },
  );
  await using second = await world.start(config, { port: first.port });
  expect(await client.call()).toMatchObject({ answer: 'success' });
  await second.end('SIGTERM');
  const records = await world.records();
  expect(records.filter(({ end }) => end === 'unknown-outcome').map(({ marker }) => marker)).toEqual([torn.marker]);
  expect(records).toHaveLength(5);
  expect(await world.findings()).toEqual([]);
});

/** Repeats calls until one ends with the code; undefined after a long time. */
async function callUntil(client: LoadClient, code: string) {
  for (const until = performance.now() + patienceMs; performance.now() < until; ) {
    const calls = await Promise.all(Array.from({ length: 10 }, () => client.call()));
    const found = calls.find((call) => call.code === code);
    if (found) return found;
    await wait(10);
  }
  return undefined;
}

/** Sets the maximum file size of a process. */
function limitFiles(pid: number, bytes: string): void {
  execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`]);
}

/** Makes every record of a call fail with that message until disposed. */
function failWrites(world: World, message: string): Disposable {
  const database = new DatabaseSync(world.database);
  database.exec('pragma busy_timeout = 60000');
  database.exec(`create trigger broken before insert on steps begin select raise(abort, '${message}'); end`);
  return {
    [Symbol.dispose]() {
      database.exec('drop trigger broken');
      database.close();
    },
  };
}
