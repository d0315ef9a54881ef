import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { StorageKind } from '../kinds.ts';
import { at, makeConversation, makeMessage } from '../records.ts';

/** The contract of every conversation store. */
export function conversationsContract(kind: StorageKind): void {
  describe(`conversations in ${kind.name}`, () => {
    test('conversations are added, replaced, listed latest first and by owner, and removed with their messages [R4]', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { conversations } = storage;
      const older = makeConversation({ updatedAt: at(1), profile: 'team' });
      const newer = makeConversation({ updatedAt: at(2) });
      const hers = makeConversation({ updatedAt: at(3), owner: `bob ${'x'.repeat(5_000)}` });
      for (const one of [newer, older, hers]) await conversations.put(one);
      expect(await conversations.list()).toEqual([hers, newer, older]);
      expect(await conversations.list({ owner: 'ann' })).toEqual([newer, older]);
      expect(await conversations.list({ owner: hers.owner })).toEqual([hers]);
      expect(await conversations.list({ limit: 1 })).toEqual([hers]);
      const changed = { ...older, title: 'Grüße 👋', updatedAt: at(9), usage: { inputTokens: 5, outputTokens: 6 } };
      await conversations.put(changed);
      expect(await conversations.get(older.id)).toEqual(changed);
      expect((await conversations.list()).map(({ id }) => id)).toEqual([older.id, hers.id, newer.id]);
      await conversations.putMessage(older.id, makeMessage('hello'));
      expect(await conversations.remove(older.id)).toBe(true);
      expect(await conversations.remove(older.id)).toBe(false);
      expect(await conversations.get(older.id)).toBeUndefined();
      expect(await conversations.messages(older.id)).toEqual([]);
    });

    test('messages stay in order, and a replaced message retains its position', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { conversations } = storage;
      const [one, other] = [makeConversation(), makeConversation()];
      await conversations.put(one);
      await conversations.put(other);
      const messages = ['a', 'b', 'c', 'd'].map((text) => makeMessage(text));
      const [a, b, c, d] = messages as [(typeof messages)[0], ...typeof messages];
      for (const message of messages) await conversations.putMessage(one.id, message);
      await conversations.putMessage(other.id, makeMessage('elsewhere'));
      const answer = makeMessage('', {
        id: b?.id ?? '',
        role: 'assistant',
        status: 'streaming',
        parts: [
          { type: 'reasoning', text: 'hm', metadata: { anthropic: { signature: 's' } } },
          { type: 'tool-call', id: '1', name: 'n', arguments: { deep: [1, null] }, status: 'waiting' },
        ],
      });
      await conversations.putMessage(one.id, answer);
      expect(await conversations.messages(one.id)).toEqual([a, answer, c, d]);
      await conversations.cutMessages(one.id, c?.id ?? '');
      expect(await conversations.messages(one.id)).toEqual([a, answer]);
      await conversations.cutMessages(one.id, randomUUID());
      const last = makeMessage('e');
      await conversations.putMessage(one.id, last);
      expect(await conversations.messages(one.id)).toEqual([a, answer, last]);
      expect(await conversations.messages(other.id)).toHaveLength(1);
    });

    test('concurrent messages are all stored, and none without a conversation', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { conversations } = storage;
      const conversation = makeConversation();
      await conversations.put(conversation);
      const messages = Array.from({ length: 12 }, (_, index) => makeMessage(String(index)));
      await Promise.all(messages.map((message) => conversations.putMessage(conversation.id, message)));
      const stored = await conversations.messages(conversation.id);
      expect(stored.map(({ id }) => id).sort()).toEqual(messages.map(({ id }) => id).sort());
      const missing = conversations.putMessage(randomUUID(), makeMessage('x'));
      await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    test('interrupted conversations are found and can be claimed', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { conversations } = storage;
      const [idle, running, asking] = (['idle', 'running', 'asking'] as const).map((status, index) =>
        makeConversation({ status, updatedAt: at(index) }),
      ) as [ReturnType<typeof makeConversation>, ...ReturnType<typeof makeConversation>[]];
      for (const one of [idle, running, asking]) if (one) await conversations.put(one);
      expect(await conversations.abandoned()).toEqual([asking, running]);
      expect(await conversations.claim(idle.id)).toBe(true);
      expect(await conversations.claim(running?.id ?? '')).toBe(true);
      expect(await conversations.claim(randomUUID())).toBe(false);
    });
  });
}
