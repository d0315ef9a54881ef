import { expect, test } from 'vitest';
import { createMemoryJournal } from './memory-journal.ts';

test('a journal in memory removes the oldest calls at its limit', async () => {
  const journal = createMemoryJournal({ maxCalls: 3 });
  for (let id = 1; id <= 5; id++) {
    await journal.write({
      id: `call-${id}`,
      tool: 'read',
      originalName: 'read',
      caller: { id: 'program', kind: 'program' },
      arguments: {},
      definitionHash: 'd',
      status: 'success',
      createdAt: new Date(id * 1_000).toISOString(),
    });
    await journal.claim({ caller: 'a', key: `key-${id}`, fingerprint: 'f', callId: `call-${id}` });
  }
  expect((await journal.list()).map(({ id }) => id)).toEqual(['call-5', 'call-4', 'call-3']);
  const again = { caller: 'a', fingerprint: 'f', callId: 'next' };
  expect(await journal.claim({ ...again, key: 'key-5' })).toMatchObject({ callId: 'call-5' });
  expect(await journal.claim({ ...again, key: 'key-1' })).toBeUndefined();
});
