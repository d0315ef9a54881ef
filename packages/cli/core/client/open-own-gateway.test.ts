import { expect, test } from 'vitest';
import type { Conversation } from '../../../contract/records/conversation.ts';
import { openStorage } from '../../../gateway/core/storage/open-storage.ts';
import { withoutRecovery } from './open-own-gateway.ts';

function conversation(id: string, status: Conversation['status']): Conversation {
  const at = '2026-01-01T00:00:00.000Z';
  const usage = { inputTokens: 0, outputTokens: 0 };
  const owner = 'admin';
  return { id, title: id, assistantId: 'a', owner, status, usage, durationMs: 0, createdAt: at, updatedAt: at };
}

test('a gateway of one command leaves interrupted conversations and scripts to the next gateway', async () => {
  await using storage = await openStorage({ kind: 'memory' });
  const ids = ['1', '2'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
  const [asking = '', idle = ''] = ids;
  await storage.conversations.put(conversation(asking, 'asking'));
  await storage.conversations.put(conversation(idle, 'idle'));
  const { conversations, audit } = withoutRecovery(storage);
  expect(await conversations.abandoned()).toEqual([]);
  expect(audit.takeScripts()).toEqual([]);
  expect(await conversations.list()).toHaveLength(2);
  expect((await storage.conversations.abandoned()).map(({ id }) => id)).toEqual([asking]);
});
