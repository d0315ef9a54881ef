import { expect, test } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { createMemoryChain } from './memory-chain.ts';
import { createMemoryJournal } from './memory-journal.ts';

const call = (id: number, status: 'pending' | 'success' = 'success') => ({
  id: `call-${id}`,
  tool: 'read',
  originalName: 'read',
  caller: { id: 'program', kind: 'program' as const },
  arguments: {},
  definitionHash: 'd',
  status,
  createdAt: new Date(id * 1_000).toISOString(),
});

test('a journal in memory removes the oldest calls at its limit', async () => {
  const journal = createMemoryJournal({ maxCalls: 3 });
  for (let id = 1; id <= 5; id++) {
    await journal.write(call(id));
    await journal.claim({ caller: 'a', key: `key-${id}`, fingerprint: 'f', callId: `call-${id}` });
  }
  expect((await journal.list()).map(({ id }) => id)).toEqual(['call-5', 'call-4', 'call-3']);
  const again = { caller: 'a', fingerprint: 'f', callId: 'next' };
  expect(await journal.claim({ ...again, key: 'key-5' })).toMatchObject({ callId: 'call-5' });
  expect(await journal.claim({ ...again, key: 'key-1' })).toBeUndefined();
});

test('a chain in memory removes the oldest steps at its limit and can still be verified', async () => {
  const options = { maxResultBytes: 1_000, clock: systemClock, maxSteps: 20 };
  const { journal, audit } = createMemoryChain(createMemoryJournal(), options);
  for (let id = 1; id <= 50; id++) {
    await journal.write(call(id, 'pending'));
    await journal.write(call(id));
  }
  const entries = await gather(audit.export());
  expect(entries.length).toBeLessThanOrEqual(20);
  expect(entries.at(-1)?.seq).toBe(100);
  expect(await gather(audit.verify())).toEqual([]);
  expect(await journal.get('call-1')).toBeUndefined();
  expect(await journal.get('call-50')).toEqual(call(50));
});

async function gather<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const gathered: Item[] = [];
  for await (const item of items) gathered.push(item);
  return gathered;
}
