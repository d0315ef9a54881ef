import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createTestConnection, firstText, type TestConnection } from '../../test/support/connect.ts';
import { fixture, startHttp } from '../../test/support/fixtures.ts';
import type { JsonObject } from '../kernel/json.ts';
import { createChannel, type MessageOwner } from './channel.ts';
import type { RequestHost } from './request-host.ts';

/** Accepts each question with this name as the answer. */
function answering(name: string): RequestHost {
  return { elicit: async () => ({ action: 'accept', content: { answer: name } }) };
}

/** Calls the tool that asks, and returns what the server made of the answer. */
async function ask(connection: TestConnection, id: string, host = answering(id)): Promise<string> {
  const call = { id, host, signal: AbortSignal.timeout(60_000) };
  return firstText(await connection.callTool({ name: 'ask' }, { question: 'Which?' }, call));
}

const announced = { defaultHost: answering('default') };

test('over HTTP the host of each call answers its own questions, however many calls are pending', async () => {
  await using server = await startHttp('legacy-http');
  await using connection = createTestConnection(server.url, {}, announced);
  await connection.connect();
  const ids = Array.from({ length: 10 }, (_, index) => `call ${index}`);
  const texts = await Promise.all(ids.map((id) => ask(connection, id)));
  expect(texts.map((text) => JSON.parse(text).content.answer)).toEqual(ids);
});

test('over pipes the host of the only pending call answers, and with several pending calls the question is refused', async () => {
  await using connection = createTestConnection(fixture('legacy'), {}, announced);
  await connection.connect();
  expect(JSON.parse(await ask(connection, 'only')).content.answer).toBe('only');
  const begun = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const other = connection.callTool(
    { name: 'sleep' },
    { ms: 60_000 },
    { id: 'other', host: { onProgress: () => begun.resolve() }, signal: cancel.signal },
  );
  other.catch(() => {});
  await begun.promise;
  expect(await ask(connection, 'one').catch(String)).toContain('several calls are running');
  cancel.abort();
  await expect(other).rejects.toThrow();
});

test('the default of the connection answers the question of a request without a host', async () => {
  await using connection = createTestConnection(fixture('legacy'), {}, announced);
  await connection.connect();
  expect(JSON.parse(await ask(connection, 'hostless', {})).content.answer).toBe('default');
  const raw = await connection.request('tools/call', { name: 'ask', arguments: { question: 'Which?' } });
  expect(JSON.parse(firstText(raw)).content.answer).toBe('default');
});

test('a message belongs to the only pending call with a host, to nobody with several, and to the connection with none', async () => {
  const { inner, owners, channel } = createTestChannel();
  const log = () => inner.onmessage?.({ jsonrpc: '2.0', method: 'notifications/message' } as JSONRPCMessage);
  const [one, two] = [answering('one'), answering('two')];
  log();
  const first = channel.request('tools/call', {}, { callId: 'one', host: one });
  void channel.request('tools/list', {}).catch(() => {});
  log();
  void channel.request('tools/call', {}, { callId: 'two', host: two }).catch(() => {});
  log();
  inner.onmessage?.({ jsonrpc: '2.0', id: 1_000_000, result: {} } as JSONRPCMessage);
  await first;
  log();
  expect(owners).toEqual([{}, { host: one, callId: 'one' }, { isAmbiguous: true }, { host: two, callId: 'two' }]);
});

function createTestChannel() {
  const inner = { send: async () => {}, start: async () => {}, close: async () => {} } as unknown as Transport;
  const owners: MessageOwner[] = [];
  const onServerMessage = (_message: JsonObject, owner: MessageOwner) => owners.push(owner) > 0;
  return { inner, owners, channel: createChannel(inner, { onServerMessage }) };
}
