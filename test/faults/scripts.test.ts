import { createHash, randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import type { CallRecord } from '../../packages/toolwharf/invocation/call-record.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkHistory, type SentCall } from './support/check-history.ts';
import type { GatewayProcess } from './support/gateway-process.ts';
import { scaled } from './support/scale.ts';
import { openWorld, type World } from './support/world.ts';

const sealer = createSealer(createHash('sha256').update('a key for tests').digest());

/** A script that calls the recording server, one call after the other, and collects what it learns. */
const script = (markers: readonly string[], how: readonly string[] = []) => `
const learnt: string[] = [Math.random() < 2 ? 'began' : ''];
for (const [at, marker] of ${JSON.stringify(markers)}.entries()) {
  try {
    learnt.push(await tools.s.act({ marker, client: 'ada', how: ${JSON.stringify(how)}[at] ?? 'answer' }));
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    learnt.push('unknown');
  }
}
learnt`;

function configOf(world: World, approval: object = {}) {
  return { servers: { s: world.program() }, profiles: { default: { expose: 'code', approval } } };
}

/** Sends the script. The answer is lost with the gateway. */
async function send(gateway: GatewayProcess, code: string, name = 'run_code'): Promise<void> {
  const client = new Client({ name: 'ada', version: '1.0.0' });
  client.onerror = () => {};
  await client.connect(
    new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit: { headers: { 'x-caller': 'ada' } } }),
  );
  const args = name === 'run_code' ? { code } : {};
  client.callTool({ name, arguments: args }, { timeout: 600_000 }).catch(() => {});
}

async function withStorage<Result>(
  world: World,
  use: (storage: Awaited<ReturnType<typeof openStorage>>) => Promise<Result>,
) {
  await using storage = await openStorage({ kind: 'sqlite', file: world.database, sealer });
  return await use(storage);
}

function countPending({ database }: World): number {
  using open = new DatabaseSync(database, { readOnly: true });
  return Number(open.prepare("select count(*) as found from approvals where status = 'pending'").get()?.found);
}

const readScripts = (world: World): Promise<readonly CallRecord[]> =>
  withStorage(world, ({ journal }) => journal.list({ tool: 'run_code' }));

/** Every effect comes from one call, happened once, and is in the journal. */
async function findingsOf(world: World, markers: readonly string[]) {
  const calls: SentCall[] = markers.map((marker) => ({ marker, client: 'ada', sentAt: 0, answer: 'none' }));
  return checkHistory({ effects: await world.effects(), calls, records: await world.records(), faults: world.faults });
}

/** Kills the gateway after `until`, starts it again and waits for the end of the script. */
async function killAndContinue(
  world: World,
  config: object,
  code: string,
  until: (gateway: GatewayProcess) => Promise<unknown>,
  name?: string,
) {
  {
    await using gateway = await world.start(config);
    await send(gateway, code, name);
    await world.breaking('kill', async () => {
      await until(gateway);
      await gateway.end('SIGKILL');
    });
  }
  await using again = await world.start(config);
  await waitFor(() => world.countCalls('running') + world.countCalls('pending') === 0, {
    what: 'the end of the script',
  });
  await again.end('SIGTERM');
}

test('a script goes on after kill -9: ended calls are not repeated, and the call in flight is an unknown outcome', async () => {
  await using world = await openWorld();
  const markers = ['first', 'second', 'third'].map((name) => `${name}-${randomUUID()}`);
  await killAndContinue(world, configOf(world), script(markers, ['answer', 'hold', 'answer']), () =>
    waitFor(async () => (await world.effects()).length === 2),
  );
  const effects = (await world.effects()).map(({ marker }) => marker);
  expect(effects).toEqual(markers);
  const [record] = await readScripts(world);
  expect(record).toMatchObject({ status: 'success', script: { continued: 1 } });
  expect(record?.result?.structuredContent).toMatchObject({
    result: ['began', expect.stringContaining('first'), 'unknown', expect.stringContaining('third')],
  });
  expect(await findingsOf(world, markers)).toEqual([]);
});

test('a script that searched goes on after kill -9 with the recorded answers, and no search is recorded twice', async () => {
  await using world = await openWorld();
  const marker = randomUUID();
  const code = `
const before = Date.now();
const found = await search('act', { limit: 1 });
const problem = await search('').catch(({ code }) => code);
const declared = await describe([found[0].name]);
const after = Date.now();
await tools.s.act({ marker: '${marker}', client: [found[0].score, problem, after - before, declared.length].join(), how: 'hold' })
  .catch(() => {});
await search('again');
[found[0].name, problem]`;
  await killAndContinue(world, configOf(world), code, () => waitFor(async () => (await world.effects()).length === 1));
  const [record] = await readScripts(world);
  expect(record).toMatchObject({ status: 'success', script: { continued: 1 } });
  expect(record?.result?.structuredContent).toMatchObject({ result: ['tools.s.act', 'ARGUMENTS_INVALID'] });
  const steps = await withStorage(world, ({ journal }) => journal.list({ parent: record?.id }));
  const searches = steps
    .filter(({ kind }) => kind === 'search')
    .map(({ tool, status, step }) => [step?.number, tool, status]);
  expect(searches.reverse()).toEqual([
    [1, 'search_tools', 'success'],
    [2, 'search_tools', 'error'],
    [3, 'describe_tools', 'success'],
    [5, 'search_tools', 'success'],
  ]);
});

test('a chain that is a script goes on after kill -9, as the tool that was called', async () => {
  await using world = await openWorld();
  const markers = ['first', 'second'].map((name) => `${name}-${randomUUID()}`);
  const code = `${script(markers, ['answer', 'hold'])}; ({ learnt })`;
  const config = { ...configOf(world), toolbox: { chains: { saved: { code } } } };
  await killAndContinue(world, config, code, () => waitFor(async () => (await world.effects()).length === 2), 'saved');
  const [record] = await withStorage(world, ({ journal }) => journal.list({ tool: 'saved' }));
  expect(record).toMatchObject({ status: 'success', script: { continued: 1 } });
  expect(record?.result?.structuredContent).toEqual({ learnt: ['began', expect.stringContaining('first'), 'unknown'] });
  expect(await findingsOf(world, markers)).toEqual([]);
});

test('a script that is killed at random moments makes no call twice and comes to its end', {
  timeout: 1_800_000,
}, async () => {
  await using world = await openWorld();
  const sent: string[] = [];
  for (let round = 0; round < scaled(3, 100); round++) {
    const markers = Array.from({ length: 6 }, () => randomUUID());
    sent.push(...markers);
    await killAndContinue(world, configOf(world), script(markers, ['slow', 'answer', 'slow']), async () => {
      if (round % 2 === 0)
        await waitFor(async () => (await world.effects()).some(({ marker }) => marker === markers[round % 3]));
      await wait(Math.random() * 300);
    });
  }
  const effects = (await world.effects()).map(({ marker }) => marker);
  expect(new Set(effects).size).toBe(effects.length);
  for (const record of await readScripts(world)) expect(record.status).toBe('success');
  // A call that was recorded as running when the gateway was killed may have had no effect.
  expect(await findingsOf(world, sent)).toEqual([]);
});

test('a script that waits for approval at kill -9 still waits after the restart, and the answer lets it go on', async () => {
  await using world = await openWorld();
  const markers = ['first', 'second'].map((name) => `${name}-${randomUUID()}`);
  const config = configOf(world, { mode: 'always-ask' });
  const killWhileAsked = async (gateway: GatewayProcess) => {
    await waitFor(() => countPending(world) === 1, { what: 'an approval' });
    await world.breaking('kill', () => gateway.end('SIGKILL'));
  };
  const allowPending = () =>
    withStorage(world, async ({ approvals }) => {
      for (const { request } of await approvals.list({ status: 'pending' }))
        await approvals.answer(request.id, { kind: 'allow' }, 'eve', Date.now());
    });
  {
    await using gateway = await world.start(config);
    await send(gateway, script(markers));
    await killWhileAsked(gateway);
  }
  await allowPending();
  await killWhileAsked(await world.start(config));
  expect(await world.effects()).toHaveLength(1);
  await allowPending();
  await using again = await world.start(config);
  await waitFor(() => world.countCalls('running') + world.countCalls('pending') === 0, {
    what: 'the end of the script',
  });
  await again.end('SIGTERM');
  expect((await world.effects()).map(({ marker }) => marker)).toEqual(markers);
  expect((await readScripts(world))[0]).toMatchObject({ status: 'success', script: { continued: 2 } });
});

test('a script whose recorded calls differ from those that it makes is reported and makes no further call', async () => {
  await using world = await openWorld();
  const marker = randomUUID();
  const code = `await tools.s.act({ marker: '${marker}', client: 'ada', how: 'answer' });\nawait tools.s.act({ marker: '${marker}-2', client: 'ada', how: 'hang' })`;
  {
    await using gateway = await world.start(configOf(world));
    await send(gateway, code);
    await waitFor(async () => (await world.effects()).length === 2);
    await world.breaking('kill', () => gateway.end('SIGKILL'));
  }
  await withStorage(world, async ({ journal }) => {
    const [record] = await journal.list({ tool: 'run_code' });
    if (record) await journal.write({ ...record, arguments: { code: code.replace(marker, 'changed') } });
  });
  await using again = await world.start(configOf(world));
  await waitFor(() => world.countCalls('running') === 0);
  await again.end('SIGTERM');
  expect((await readScripts(world))[0]).toMatchObject({ status: 'error', error: { code: 'SCRIPT_DIVERGED' } });
  expect(await world.effects()).toHaveLength(2);
});
