import { expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { fixture, startHttp } from '../support/fixtures.ts';
import { openRaw, type RawAnswer } from '../support/raw-mcp.ts';
import { serveMcp } from '../support/serve-mcp.ts';

const canAnswer = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, sampling: {} } };
const ask = (question: string, more: JsonObject = {}) => ({ name: 'ask', arguments: { question }, ...more });

function resultOf({ body }: RawAnswer): JsonObject {
  return body.result as JsonObject;
}

/** A modern client that can be asked, and gets questions as `input_required` results. */
async function openModern(url: string) {
  const raw = await openRaw(url, 'modern', undefined, canAnswer);
  let id = 0;
  return {
    call: async (params: JsonObject) => resultOf(await raw.send(++id, 'tools/call', params)),
    [Symbol.dispose]: () => raw[Symbol.dispose](),
  };
}

test('a question that a modern client abandons gives way to the next call, and its call is cancelled', async () => {
  await using served = await serveMcp({ old: { ...fixture('legacy'), questionHold: '1s' } });
  using client = await openModern(served.url);
  const abandoned = await client.call(ask('first'));
  expect(abandoned.resultType).toBe('input_required');
  const next = await client.call(ask('second'));
  expect(next.resultType).toBe('input_required');
  const [key] = Object.keys(next.inputRequests as JsonObject);
  const answers = { [String(key)]: { action: 'accept', content: { answer: 'yes' } } };
  const answered = await client.call(ask('second', { requestState: next.requestState, inputResponses: answers }));
  expect(JSON.stringify(answered.content)).toContain('yes');
  const late = await client.call(ask('first', { requestState: abandoned.requestState, inputResponses: {} }));
  expect(late).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'CALL_TIMED_OUT' } });
});

test('a question that a modern client abandons gives way over HTTP, also to a call whose question has no stream of its own', async () => {
  await using server = await startHttp('legacy-http', { STANDING: 'sampling/createMessage' });
  await using served = await serveMcp({ old: { url: server.url, protocol: 'legacy', questionHold: '1s' } });
  using client = await openModern(served.url);
  const sample = { name: 'sample', arguments: { prompt: 'hello' } };
  expect((await client.call(ask('first'))).resultType).toBe('input_required');
  // Its question may belong to the other call, which is cancelled only after the question arrived.
  expect((await client.call(sample))?.resultType).not.toBe('input_required');
  expect((await client.call(sample)).resultType).toBe('input_required');
});

test('isolation: session gives each caller without a session its own process', async () => {
  await using served = await serveMcp({
    old: { ...fixture('legacy'), isolation: 'session', questionHold: '24h', timeout: '300s' },
  });
  const pidOf = async (caller: string) => {
    const raw = await openRaw(served.url, 'modern', undefined, canAnswer, { 'x-caller': caller });
    const result = resultOf(await raw.send(1, 'tools/call', { name: 'pid', arguments: {} }));
    raw[Symbol.dispose]();
    return JSON.stringify(result.content);
  };
  const [ada, again, bob] = [await pidOf('ada'), await pidOf('ada'), await pidOf('bob')];
  expect(again).toBe(ada);
  expect(bob).not.toBe(ada);
});
