import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createTestConnection, firstText, type TestConnection } from '../../../test/support/connect.ts';
import { fixture, startHttp } from '../../../test/support/fixtures.ts';
import type { JsonObject } from '../../contract/json.ts';
import { createChannel } from './channel.ts';
import type { MessageOwner } from './message-owners.ts';
import type { RequestHost } from './request-host.ts';
import { createTurns } from './turns.ts';

/** Accepts each elicitation request and answers with this name. */
function answering(name: string): RequestHost {
  return { elicit: async () => ({ action: 'accept', content: { answer: name } }) };
}

/** Calls the tool that sends an elicitation request, and returns the text of its result. */
async function ask(connection: TestConnection, id: string, host = answering(id)): Promise<string> {
  const call = { id, host, signal: AbortSignal.timeout(60_000) };
  return firstText(await connection.callTool({ name: 'ask' }, { question: 'Which?' }, call));
}

const announced = { defaultHost: answering('default') };

test('over HTTP the host of each call answers the requests of that call, even with many pending calls', async () => {
  await using server = await startHttp('legacy-http');
  await using connection = createTestConnection(server.url, {}, announced);
  await connection.connect();
  const ids = Array.from({ length: 10 }, (_, index) => `call ${index}`);
  const texts = await Promise.all(ids.map((id) => ask(connection, id)));
  expect(texts.map((text) => JSON.parse(text).content.answer)).toEqual(ids);
});

test('over stdio, calls that may ask a question run one at a time, and each host answers the questions of its own call', async () => {
  await using connection = createTestConnection(fixture('legacy'), {}, announced);
  await connection.connect();
  const ids = Array.from({ length: 10 }, (_, index) => `call ${index}`);
  const texts = await Promise.all(ids.map((id) => ask(connection, id)));
  expect(texts.map((text) => JSON.parse(text).content.answer)).toEqual(ids);
});

test('the default host of the connection answers a server request of a call without a host', async () => {
  await using connection = createTestConnection(fixture('legacy'), {}, announced);
  await connection.connect();
  expect(JSON.parse(await ask(connection, 'hostless', {})).content.answer).toBe('default');
  const raw = await connection.request('tools/call', { name: 'ask', arguments: { question: 'Which?' } });
  expect(JSON.parse(firstText(raw)).content.answer).toBe('default');
});

test('a message goes to the only pending call with a host, to no call if there are several, and to the connection if there is none', async () => {
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
  expect(owners).toMatchObject([{}, { host: one, callId: 'one' }, { isAmbiguous: true }, { host: two, callId: 'two' }]);
});

test('a question that may belong to a cancelled call is refused until the server has answered that call', async () => {
  const { inner, owners, channel } = createTestChannel();
  const ask = () => inner.onmessage?.({ jsonrpc: '2.0', id: 7, method: 'elicitation/create' } as JSONRPCMessage);
  const turns = createTurns('s');
  const turn = turns.tryTake({ subject: 'ask', canBeAsked: true, maxWaitMs: 30_000, maxHoldMs: 15_000 });
  const cancel = new AbortController();
  const first = channel.request('tools/call', {}, { host: answering('one'), signal: cancel.signal }, { turn });
  cancel.abort();
  await expect(first).rejects.toThrow();
  void channel.request('tools/call', {}, { callId: 'two', host: answering('two') }).catch(() => {});
  ask();
  inner.onmessage?.({ jsonrpc: '2.0', id: 1_000_000, result: {} } as JSONRPCMessage);
  ask();
  expect(owners).toMatchObject([{ isAmbiguous: true }, { callId: 'two' }]);
});

function createTestChannel() {
  const inner = { send: async () => {}, start: async () => {}, close: async () => {} } as unknown as Transport;
  const owners: MessageOwner[] = [];
  const onServerMessage = (_message: JsonObject, owner: MessageOwner) => owners.push(owner) > 0;
  return { inner, owners, channel: createChannel(inner, { onServerMessage }) };
}

test('the progress of a task reaches its host until the call has ended, and not later', async () => {
  const { inner, channel } = createTestChannel();
  const seen: number[] = [];
  const host: RequestHost = { onProgress: ({ progress }) => seen.push(progress) };
  let endProgress = () => {};
  const onFollow = (end: () => void) => {
    endProgress = end;
  };
  const progress = (value: number) =>
    inner.onmessage?.({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 1_000_000, progress: value },
    } as JSONRPCMessage);
  const created = channel.request('tools/call', {}, { host, onFollow });
  progress(1);
  const result = { resultType: 'task', taskId: 't', task: { taskId: 't', status: 'working' } };
  inner.onmessage?.({ jsonrpc: '2.0', id: 1_000_000, result } as unknown as JSONRPCMessage);
  await created;
  progress(2);
  endProgress();
  progress(3);
  expect(seen).toEqual([1, 2]);
  expect(channel.dropped.progress).toBe(1);
});
