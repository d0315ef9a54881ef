import { expect, test } from 'vitest';
import { openStorage } from '../../../storage/open-storage.ts';
import type { Conversation } from '../../../storage/ports/conversation-store.ts';
import { attendedOnly } from './local-chat-host.ts';

function conversation(id: string, status: Conversation['status']): Conversation {
  const at = '2026-01-01T00:00:00.000Z';
  const usage = { inputTokens: 0, outputTokens: 0 };
  return {
    id,
    title: id,
    assistantId: 'a',
    owner: 'admin',
    status,
    usage,
    durationMs: 0,
    createdAt: at,
    updatedAt: at,
  };
}

test('an interrupted conversation is resumed only if the person has it open', async () => {
  await using storage = await openStorage({ kind: 'memory' });
  const ids = ['1', '2', '3'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
  const [asking = '', running = '', idle = ''] = ids;
  await storage.conversations.put(conversation(asking, 'asking'));
  await storage.conversations.put(conversation(running, 'running'));
  await storage.conversations.put(conversation(idle, 'idle'));
  const attended = new Set<string>();
  const store = attendedOnly(attended, storage.conversations);
  expect(await store.abandoned()).toEqual([]);
  attended.add(asking).add(idle).add('gone');
  expect((await store.abandoned()).map(({ id }) => id)).toEqual([asking]);
  expect(await store.list()).toHaveLength(3);
});
