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
      const version = makeMessage('e', { parentId: a.id });
      await conversations.putMessage(one.id, version);
      await conversations.putMessage(one.id, { ...version, status: 'stopped' });
      expect(await conversations.messages(one.id)).toEqual([a, answer, c, d, { ...version, status: 'stopped' }]);
      expect(await conversations.messages(other.id)).toHaveLength(1);
    });

    test('a search finds titles and messages of the owners, whatever case, accents and order', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { conversations } = storage;
      const found = async (...words: string[]) =>
        (await conversations.search({ owners: ['ann', 'local'], words, limit: 10 })).matches.map((match) => ({
          id: match.conversation.id,
          messages: match.messages.map((message) => message.id),
        }));
      const cafe = makeConversation({ title: 'Menü im Café', updatedAt: at(1) });
      const stripe = makeConversation({ owner: 'local', updatedAt: at(2) });
      const hers = makeConversation({ owner: 'bob', updatedAt: at(3), title: 'cafe' });
      for (const one of [cafe, stripe, hers]) await conversations.put(one);
      const messages = [
        makeMessage('The Stripe invoice is 100% paid'),
        makeMessage('a STRIPE refund\u0000', { role: 'assistant' }),
        makeMessage('100 % of nothing'),
        makeMessage('stripe once more'),
        makeMessage('stripe at last'),
      ];
      for (const message of messages) await conversations.putMessage(stripe.id, message);
      await conversations.putMessage(hers.id, makeMessage('stripe'));
      const [invoice, refund, , more, last] = messages.map(({ id }) => id);
      expect(await found('cafe')).toEqual([{ id: cafe.id, messages: [] }]);
      expect(await found('menu', 'cafe')).toEqual([{ id: cafe.id, messages: [] }]);
      expect(await found('stripe')).toEqual([{ id: stripe.id, messages: [last, more, refund] }]);
      expect(await found('paid', 'stripe')).toEqual([{ id: stripe.id, messages: [invoice] }]);
      expect(await found('100%')).toEqual([{ id: stripe.id, messages: [invoice] }]);
      expect(await found('strpie', 'invoce')).toEqual([{ id: stripe.id, messages: [invoice] }]);
      expect(await found('harbour')).toEqual([]);
      expect(await found()).toEqual([]);
      await conversations.putMessage(stripe.id, { ...(messages[0] as (typeof messages)[0]), parts: [] });
      expect(await found('invoice')).toEqual([]);
    });

    test('a search tells how many conversations match, also beyond its limit', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { conversations } = storage;
      for (let n = 0; n < 120; n++) await conversations.put(makeConversation({ title: `Tide ${n}`, updatedAt: at(n) }));
      await conversations.put(makeConversation({ title: 'Harbour' }));
      const { matches, total } = await conversations.search({ owners: ['ann'], words: ['tide'], limit: 20 });
      expect({ shown: matches.length, latest: matches[0]?.conversation.title, total }).toEqual({
        ...{ shown: 20, latest: 'Tide 119', total: 120 },
      });
      const rough = await conversations.search({ owners: ['ann'], words: ['harbuor'], limit: 20 });
      expect(rough.total).toBe(1);
    });

    test('attachments belong to their conversation and are removed with it', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { conversations } = storage;
      const [one, other] = [makeConversation(), makeConversation()];
      for (const conversation of [one, other]) await conversations.put(conversation);
      const attachment = { id: randomUUID(), sizeBytes: 3, data: 'AAEC' };
      await conversations.putAttachment(one.id, attachment);
      await conversations.putAttachment(one.id, { ...attachment, id: randomUUID() });
      expect(await conversations.attachment(one.id, attachment.id)).toEqual(attachment);
      expect(await conversations.attachment(other.id, attachment.id)).toBeUndefined();
      expect(await conversations.attachmentTotals(one.id)).toEqual({ count: 2, sizeBytes: 6 });
      expect(await conversations.attachmentTotals(other.id)).toEqual({ count: 0, sizeBytes: 0 });
      const missing = conversations.putAttachment(randomUUID(), attachment);
      await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await conversations.remove(one.id);
      expect(await conversations.attachment(one.id, attachment.id)).toBeUndefined();
      expect(await conversations.attachmentTotals(one.id)).toEqual({ count: 0, sizeBytes: 0 });
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
