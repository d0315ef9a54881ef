import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createTestConnection, firstText } from '../../test/support/connect.ts';
import { fixture, startHttp } from '../../test/support/fixtures.ts';
import type { JsonObject } from '../kernel/json.ts';
import { createChannel } from './channel.ts';
import type { QuestionContext } from './questions.ts';

/** Answers each question with the id of the call it is said to belong to. */
const echoCall = {
  elicit: async (_params: JsonObject, { callId, callIds }: QuestionContext) =>
    ({ action: 'accept', content: { answer: callId ?? `one of ${callIds?.join(', ')}` } }) as const,
};
const ask = { name: 'ask', arguments: { question: 'Which?' } };

test('over HTTP each question is known by its stream, however many calls are under way', async () => {
  await using server = await startHttp('legacy-http');
  await using connection = createTestConnection(server.url, {}, { questions: echoCall });
  await connection.connect();
  const ids = Array.from({ length: 10 }, (_, index) => `call ${index}`);
  const texts = await Promise.all(
    ids.map(async (callId) => firstText(await connection.request('tools/call', ask, { callId }))),
  );
  expect(texts.map((text) => JSON.parse(text).content.answer)).toEqual(ids);
});

test('over pipes a question is known where only one call is under way', async () => {
  await using connection = createTestConnection(fixture('legacy'), {}, { questions: echoCall });
  await connection.connect();
  const alone = await connection.request('tools/call', ask, { callId: 'only' });
  expect(firstText(alone)).toContain('only');
  const sleep = { name: 'sleep', arguments: { ms: 60_000 } };
  const begun = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const other = connection.request('tools/call', sleep, {
    callId: 'other',
    signal: cancel.signal,
    onProgress: () => begun.resolve(),
  });
  await begun.promise;
  expect(firstText(await connection.request('tools/call', ask, { callId: 'one' }))).toContain('one of other, one');
  cancel.abort();
  await expect(other).rejects.toThrow();
});

test('a message belongs to the call under way when it came, also if that ended before it was handled', async () => {
  const inner = { send: async () => {}, start: async () => {}, close: async () => {} } as unknown as Transport;
  const channel = createChannel(inner);
  const heard = new Promise((resolve) => {
    channel.onmessage = () => void Promise.resolve().then(() => resolve(channel.callsAtHand));
  });
  const one = channel.request('tools/call', {}, { callId: 'one' });
  inner.onmessage?.({ jsonrpc: '2.0', method: 'notifications/message' } as JSONRPCMessage);
  inner.onmessage?.({ jsonrpc: '2.0', id: 1_000_000, result: {} } as JSONRPCMessage);
  await one;
  expect(await heard).toEqual(['one']);
  expect(channel.callsAtHand).toEqual([]);
});
