import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import type { CallRecord, Journal } from '../../packages/toolwharf/index.ts';
import { localTool } from '../../packages/toolwharf/index.ts';
import { canonicalJson } from '../../packages/toolwharf/kernel/canonical-json.ts';
import { createMemoryJournal } from '../../packages/toolwharf/storage/memory/memory-journal.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';

const lines = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
const key = { idempotencyKey: 'k' };

test('the key of a call that a limit refused can be used again [O10]', async () => {
  let runs = 0;
  const gate = Promise.withResolvers<void>();
  const slow = localTool({ name: 'slow', maxInstances: 1, execute: () => gate.promise });
  const work = localTool({ name: 'work', execute: () => `run ${++runs}` });
  const config = { servers: {}, toolbox: { maxConcurrent: 1, maxQueued: 1 } };
  await using toolbox = await openToolbox(config, { tools: [slow, work] });
  const running = toolbox.call('slow', {});
  const queued = toolbox.call('slow', {});
  expect(await toolbox.call('work', {}, key)).toMatchObject({ failure: { code: 'QUEUE_FULL' } });
  expect(await toolbox.call('work', {}, key)).toMatchObject({ failure: { code: 'QUEUE_FULL' } });
  gate.resolve();
  await Promise.all([running, queued]);
  expect(await toolbox.call('work', {}, key)).toMatchObject({ text: 'run 1' });
  expect(await toolbox.call('work', {}, key)).toMatchObject({ text: 'run 1' });
  expect(runs).toBe(1);
});

test('the key of a call with invalid arguments, of a denied call and of a call without a server can be used again [O10]', async () => {
  await using dir = await tempDir();
  const path = dir.file('ran');
  let answer: 'allow' | 'deny' = 'deny';
  const approver = { ask: async () => ({ kind: answer }) as const };
  const config = { servers: { s: fixture('legacy') }, toolbox: { approval: { ask: ['mcp_s_add'] } } };
  await using toolbox = await openToolbox(config, { approver });
  expect(await toolbox.call('mcp_s_write', { path }, key)).toMatchObject({ failure: { code: 'ARGUMENTS_INVALID' } });
  await toolbox.servers.disconnect('s');
  const args = { path, text: 'x' };
  const disconnected = await toolbox.call('mcp_s_write', args, key);
  expect(disconnected.failure?.code).toBeDefined();
  await toolbox.servers.connect('s');
  expect(await toolbox.call('mcp_s_write', args, key)).toMatchObject({ isError: false });
  expect(await toolbox.call('mcp_s_write', args, key)).toMatchObject({ isError: false });
  expect(await lines(path)).toHaveLength(1);
  expect(await toolbox.call('mcp_s_write', { path }, key)).toMatchObject({ failure: { code: 'IDEMPOTENCY_CONFLICT' } });
  const other = { idempotencyKey: 'other' };
  expect(await toolbox.call('mcp_s_add', { a: 1, b: 2 }, other)).toMatchObject({ failure: { code: 'CALL_DENIED' } });
  answer = 'allow';
  expect(await toolbox.call('mcp_s_add', { a: 1, b: 2 }, other)).toMatchObject({ text: '3' });
});

test('the key of a call that was cancelled in the queue is used by a call that waited for it, and one that ran is not run again [O10]', async () => {
  let runs = 0;
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const work = localTool({
    name: 'work',
    maxInstances: 1,
    async execute() {
      started.resolve();
      await gate.promise;
      return `run ${++runs}`;
    },
  });
  await using toolbox = await openToolbox({ servers: {} }, { tools: [work] });
  const running = toolbox.start('work', {}, { idempotencyKey: 'cut off' });
  await started.promise;
  const first = toolbox.start('work', {}, key);
  const second = toolbox.start('work', {}, key);
  await expect.poll(() => first.state).toBe('queued');
  first.cancel();
  expect((await first.result).failure?.code).toBe('CALL_CANCELLED');
  running.cancel();
  expect((await running.result).failure?.code).toBe('CALL_CANCELLED');
  gate.resolve();
  const { text } = await second.result;
  expect(text).toMatch(/^run/);
  expect(await toolbox.call('work', {}, key)).toMatchObject({ text });
  const repeated = await toolbox.call('work', {}, { idempotencyKey: 'cut off' });
  expect(repeated).toMatchObject({ failure: { code: 'CALL_CANCELLED' } });
  expect(runs).toBe(2);
});

test('the key of a call that could not be recorded can be used again, also with a journal that cannot record its end [O10]', async () => {
  const memory = createMemoryJournal();
  let isBroken = true;
  const write = (record: CallRecord) => (isBroken ? Promise.reject(new Error('disk full')) : memory.write(record));
  const work = localTool({ name: 'work', execute: () => 'done' });
  await using toolbox = await openToolbox({ servers: {} }, { tools: [work], journal: { ...memory, write } });
  expect(await toolbox.call('work', {}, key)).toMatchObject({ failure: { code: 'JOURNAL_UNAVAILABLE' } });
  isBroken = false;
  expect(await toolbox.call('work', {}, key)).toMatchObject({ text: 'done' });
});

test('the key of a call whose claim was stored although the journal failed can be used again, in another process too [O10]', async () => {
  const memory = { ...createMemoryJournal(), isShared: true };
  let isCut = true;
  const claim: Journal['claim'] = async (...wanted) => {
    const holder = await memory.claim(...wanted);
    if (isCut) throw new Error('the connection was cut before the answer');
    return holder;
  };
  let runs = 0;
  const work = localTool({ name: 'work', execute: () => `run ${++runs}` });
  await using toolbox = await openToolbox({ servers: {} }, { tools: [work], journal: { ...memory, claim } });
  await using other = await openToolbox({ servers: {} }, { tools: [work], journal: memory });
  expect(await toolbox.call('work', {}, key)).toMatchObject({ failure: { code: 'JOURNAL_UNAVAILABLE' } });
  expect(await other.call('work', {}, key)).toMatchObject({ text: 'run 1' });
  isCut = false;
  expect(await toolbox.call('work', {}, key)).toMatchObject({ text: 'run 1' });
  // The id of a call that ran may come again: its record stays.
  const same = { id: 'chosen', idempotencyKey: 'other' };
  expect(await toolbox.start('work', {}, same).result).toMatchObject({ text: 'run 2' });
  isCut = true;
  expect(await toolbox.start('work', {}, same).result).toMatchObject({ isError: true });
  isCut = false;
  expect(await toolbox.start('work', {}, same).result).toMatchObject({ text: 'run 2' });
  expect(runs).toBe(2);
});

test('a journal that never gives a key back replays the failure', async () => {
  const memory = createMemoryJournal();
  const journal: Journal = { ...memory, claim: (claim) => memory.claim(claim) };
  const work = localTool({ name: 'work', parameters: { type: 'object', required: ['a'] }, execute: () => 'done' });
  await using toolbox = await openToolbox({ servers: {} }, { tools: [work], journal });
  for (let time = 0; time < 2; time++)
    expect(await toolbox.call('work', {}, key)).toMatchObject({ failure: { code: 'ARGUMENTS_INVALID' } });
});

test('a key that an earlier version stored with the exposed name of the tool still belongs to its call', async () => {
  const journal = createMemoryJournal();
  let runs = 0;
  const work = localTool({ name: 'work', execute: () => `run ${++runs}` });
  await using toolbox = await openToolbox({ servers: {} }, { tools: [work], journal });
  const { callId } = await toolbox.call('work', {});
  const fingerprint = createHash('sha256')
    .update(canonicalJson(['work', {}]))
    .digest('hex');
  await journal.claim({ caller: 'program', key: 'k', fingerprint, callId });
  expect(await toolbox.call('work', {}, key)).toMatchObject({ text: 'run 1', callId });
  expect(await toolbox.call('work', { other: 1 }, key)).toMatchObject({ failure: { code: 'IDEMPOTENCY_CONFLICT' } });
});

test('a key that was stored without the version of its fingerprint still belongs to its call', async () => {
  const journal = createMemoryJournal();
  const fingerprints: string[] = [];
  const claim: Journal['claim'] = (claimed, unsent) => {
    fingerprints.push(claimed.fingerprint);
    return journal.claim(claimed, unsent);
  };
  const work = localTool({ name: 'work', execute: () => 'done' });
  await using toolbox = await openToolbox({ servers: {} }, { tools: [work], journal: { ...journal, claim } });
  const { callId } = await toolbox.call('work', {}, { idempotencyKey: 'first' });
  const [version, hash = ''] = String(fingerprints[0]).split(':');
  expect(version).toBe('2');
  await journal.claim({ caller: 'program', key: 'k', fingerprint: hash, callId });
  expect(await toolbox.call('work', {}, key)).toMatchObject({ text: 'done', callId });
  // The fingerprint of a later version is never taken for one without a version.
  await journal.claim({ caller: 'program', key: 'later', fingerprint: `3:${hash}`, callId });
  const later = await toolbox.call('work', {}, { ...key, idempotencyKey: 'later' });
  expect(later).toMatchObject({ failure: { code: 'IDEMPOTENCY_CONFLICT' } });
});

test('one id is one call: with another key or without one, it never runs again', async () => {
  let runs = 0;
  const gate = Promise.withResolvers<void>();
  async function execute() {
    runs++;
    await gate.promise;
    return 'done';
  }
  await using toolbox = await openToolbox({ servers: {} }, { tools: [localTool({ name: 'work', execute })] });
  const first = toolbox.call('work', {}, { id: 'x', idempotencyKey: 'a' });
  const same = toolbox.call('work', {}, { id: 'x', idempotencyKey: 'a' });
  const inUse = { failure: { code: 'CONFLICT' } };
  for (const idempotencyKey of ['b', undefined])
    expect(await toolbox.call('work', {}, { id: 'x', idempotencyKey })).toMatchObject(inUse);
  const caller = { id: 'someone', kind: 'person' } as const;
  expect(await toolbox.call('work', {}, { id: 'x', idempotencyKey: 'a', caller })).toMatchObject(inUse);
  gate.resolve();
  expect((await Promise.all([first, same])).map(({ text }) => text)).toEqual(['done', 'done']);
  for (const idempotencyKey of ['b', undefined])
    expect(await toolbox.call('work', {}, { id: 'x', idempotencyKey })).toMatchObject(inUse);
  expect(await toolbox.call('work', {}, { id: 'x', idempotencyKey: 'a' })).toMatchObject({ text: 'done' });
  expect(runs).toBe(1);
  expect(await toolbox.calls.list()).toHaveLength(1);
});

test('the key of a call that was not sent can be used again after a restart, and that of a call that ran cannot [O10]', async () => {
  await using dir = await tempDir();
  const sealer = createSealer(randomBytes(32));
  let runs = 0;
  const work = localTool({
    name: 'work',
    parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    execute: () => `run ${++runs}`,
  });
  const seen: (string | undefined)[] = [];
  for (const args of [{}, { a: 1 }, { a: 1 }]) {
    await using storage = await openStorage({ kind: 'sqlite', file: dir.file('store.db'), sealer });
    await using toolbox = await openToolbox({ servers: {} }, { tools: [work], journal: storage.journal });
    const { failure, text } = await toolbox.call('work', args, { ...key, id: 'x' });
    seen.push(failure?.code ?? text);
  }
  expect(seen).toEqual(['ARGUMENTS_INVALID', 'run 1', 'run 1']);
});
