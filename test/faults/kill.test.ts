import { writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import type { GatewayProcess } from './support/gateway-process.ts';
import type { LoadClient } from './support/load.ts';
import { scaled } from './support/scale.ts';
import { openWorld, type World } from './support/world.ts';

test('kill -9 at random moments under load loses no call, repeats none, leaves none open, and the chain verifies [R6]', async () => {
  await using world = await openWorld();
  const rounds = scaled(4, 200);
  const config = {
    servers: { s: world.program(), modern: world.program({ ERA: 'modern' }) },
  };
  let port = 0;
  for (let round = 0; round < rounds; round++) {
    const gateway = await world.start(config, { port });
    port = gateway.port;
    const clients = await Promise.all(
      ['ada', 'bob', 'cid'].map((name) => world.load.open(gateway.url, name, { era: round % 2 ? 'auto' : 'legacy' })),
    );
    let isOver = false;
    const load = clients.flatMap((client) =>
      ['s__act', 'modern__act'].map(async (tool) => {
        while (!isOver) await client.call({ tool });
      }),
    );
    const answered = () => world.load.calls.filter(({ answer }) => answer === 'success').length;
    const before = answered();
    // Every second round waits for a response, however slow the machine is.
    if (round % 2 === 1) await waitFor(() => answered() > before, { what: 'an answer' });
    await wait(Math.random() * 200);
    await world.breaking('kill', async () => {
      isOver = true;
      await gateway.end('SIGKILL');
      await Promise.all(load);
    });
    await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
  }
  expect(await world.findings()).toEqual([]);
  expect((await world.effects()).length).toBeGreaterThanOrEqual(rounds / 2);
  const records = await world.records();
  console.log(
    `kill -9: ${rounds} kills, ${world.load.calls.length} calls sent, ${(await world.effects()).length} effects, ` +
      `${records.length} records, ${records.filter(({ end }) => end === 'unknown-outcome').length} unknown, 0 findings`,
  );
});

describe('kill -9 of the gateway', () => {
  test('a gateway killed before the intent is durable has not run the call and has no record of it', async () => {
    await using world = await openWorld();
    await using gateway = await world.start(configOf(world));
    await using client = await world.load.open(gateway.url, 'ada');
    await world.breaking('kill', async () => {
      // The first call has to find out how far the tables are. That is given up after a second; this is well before.
      using other = new DatabaseSync(world.database);
      other.exec('pragma busy_timeout = 60000; begin immediate');
      void client.call();
      await wait(200);
      await gateway.end('SIGKILL');
    });
    expect(await world.effects()).toEqual([]);
    expect(await world.records()).toEqual([]);
    expect(await world.findings()).toEqual([]);
  });

  test('a gateway killed after the intent and before dispatch has not run the call, which is recorded as failed', async () => {
    await using world = await openWorld();
    await dieDuring(world, async (call) => {
      void call({ how: 'hang' });
      await waitFor(() => world.countCalls('running') === 1);
      void call();
      await waitFor(() => world.countCalls('pending') === 1);
    });
    const records = await world.records();
    expect(records.map(({ end }) => end)).toEqual(['failed', 'unknown-outcome', undefined]);
    expect(await world.effects()).toHaveLength(2);
    expect(await world.findings()).toEqual([]);
  });

  test('a gateway killed after dispatch has run the call once, and its outcome is unknown', async () => {
    await using world = await openWorld();
    await dieDuring(world, async (call) => {
      void call({ how: 'hold' });
      await waitFor(async () => (await world.effects()).length === 2);
    });
    expect((await world.records()).map(({ end }) => end)).toEqual(['unknown-outcome', undefined]);
    expect(await world.findings()).toEqual([]);
  });

  test('a gateway killed before the result is durable has reported no success, and the outcome is unknown', async () => {
    await using world = await openWorld();
    let answer: string | undefined;
    await dieDuring(world, async (call, gateway) => {
      void call({ how: 'hold' }).then((ended) => {
        answer = ended.answer;
      });
      await waitFor(async () => (await world.effects()).length === 2);
      // From here on the response waits for the journal.
      process.kill(gateway.pid, 'SIGSTOP');
      await writeFile(world.holdFile, '');
      await wait(200);
    });
    await waitFor(() => answer !== undefined);
    expect(answer).toBe('none');
    expect((await world.records()).map(({ end }) => end)).toEqual(['unknown-outcome', undefined]);
    expect(await world.findings()).toEqual([]);
  });

  test('a gateway killed right after the client has its result has recorded the success', async () => {
    await using world = await openWorld();
    for (let round = 0; round < scaled(1, 50); round++) {
      await dieDuring(world, async (call) => expect(await call()).toMatchObject({ answer: 'success' }));
    }
    expect(new Set((await world.records()).map(({ status }) => status))).toEqual(new Set(['success']));
    expect(await world.findings()).toEqual([]);
  });
});

/** Makes one successful call, runs `until`, and then kills the gateway. */
async function dieDuring(
  world: World,
  until: (call: LoadClient['call'], gateway: GatewayProcess) => Promise<unknown>,
): Promise<void> {
  await using gateway = await world.start(configOf(world));
  await using client = await world.load.open(gateway.url, 'ada');
  expect(await client.call()).toMatchObject({ answer: 'success' });
  await world.breaking('kill', async () => {
    await until(client.call, gateway);
    await gateway.end('SIGKILL');
  });
}

function configOf(world: World) {
  return { servers: { s: { ...world.program(), defaultToolConfig: { maxInstances: 1 } } } };
}
