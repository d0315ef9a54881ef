import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { openRaw, textOf } from '../support/raw-mcp.ts';
import { type ServedMcp, serveMcp } from '../support/serve-mcp.ts';

let served: ServedMcp;
beforeAll(async () => {
  served = await serveMcp({ subject: fixture('echoes-protocol'), other: fixture('no-tools') });
});
afterAll(() => served[Symbol.asyncDispose]());

test.each(['legacy', 'modern'] as const)(
  'a %s client gets tools and prompts in the order of the server',
  async (era) => {
    await using client = await connectMcp(served.url, era);
    expect((await client.client.listTools()).tools.map(({ name }) => name)).toEqual(['zebra', 'ant', 'params']);
    const { prompts } = await client.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['z', 'a', 'greet', 'plain']);
    expect(client.client.getServerCapabilities()?.experimental).toEqual({ 'example.com/feature': { on: true } });
  },
);

test('a prompt without arguments is requested without arguments', async () => {
  await using client = await connectMcp(served.url, 'legacy');
  const promptText = async (args?: Record<string, string>) => {
    const { messages } = await client.client.getPrompt({ name: 'z', ...(args && { arguments: args }) });
    return (messages as unknown as [{ content: { text: string } }])[0].content.text;
  };
  expect(await promptText()).toBe('{"name":"z"}');
  expect(await promptText({})).toBe('{"name":"z","arguments":{}}');
});

test('progress keeps the members that the protocol does not define', async () => {
  await using client = await connectMcp(served.url, 'legacy');
  const { promise, resolve } = Promise.withResolvers<unknown>();
  client.client.setNotificationHandler('notifications/progress', async ({ params }) => resolve(params));
  await client.client.callTool({ name: 'zebra', arguments: {}, _meta: { progressToken: 'mine' } });
  expect(await promise).toMatchObject({ progressToken: 'mine', progress: 1, _meta: { 'example/kept': 1 } });
});

const answer = { action: 'accept', content: {}, _meta: { 'example/kept': 1, 'toolwharf/forged': 1 } };
const received = { action: 'accept', content: { answer: 'none' }, _meta: { 'example/kept': 1 } };

test('the answer of a legacy client keeps its _meta', async () => {
  await using client = await connectMcp(served.url, 'legacy', { answers: { 'elicitation/create': () => answer } });
  expect(JSON.parse(await client.text('ant'))).toEqual(received);
});

test('the answer of a modern client keeps its _meta', async () => {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  using raw = await openRaw(served.url, 'modern', undefined, meta);
  const call = { name: 'ant', arguments: {} };
  const asked = (await raw.send(1, 'tools/call', call)).body.result as JsonObject;
  const [key = ''] = Object.keys(asked.inputRequests as JsonObject);
  const again = { ...call, requestState: asked.requestState, inputResponses: { [key]: answer } };
  expect(JSON.parse(textOf((await raw.send(2, 'tools/call', again)).body) ?? '')).toEqual(received);
});

describe('members of a request that the protocol does not define', () => {
  const call = { name: 'params', arguments: {}, 'example.com/mode': { dry: true } };

  test.each(['legacy', 'modern'] as const)('reach the server from a %s client and are recorded', async (era) => {
    using raw = await openRaw(served.url, era);
    const { body } = await raw.send(1, 'tools/call', call);
    expect(JSON.parse(textOf(body) ?? '')).toEqual(call);
    const [record] = await served.toolbox.calls.list({ limit: 1 });
    expect(record).toMatchObject({ originalName: 'params', extraParams: { 'example.com/mode': { dry: true } } });
  });

  test.each(['legacy', 'modern'] as const)('reach the server with the reads of a %s client', async (era) => {
    using raw = await openRaw(served.url, era);
    const extra = { 'example.com/mode': { dry: true } };
    const prompt = { name: 'z', ...extra };
    const { messages } = (await raw.send(1, 'prompts/get', prompt)).body.result as JsonObject;
    expect(messages).toMatchObject([{ content: { text: JSON.stringify({ ...extra, name: 'z' }) } }]);
    const resource = { uri: 'memo://one', ...extra };
    const { contents } = (await raw.send(2, 'resources/read', resource)).body.result as JsonObject;
    expect(contents).toMatchObject([{ text: JSON.stringify({ ...extra, uri: 'memo://one' }) }]);
    const completion = { ref: { type: 'ref/prompt', name: 'z' }, argument: { name: 'a', value: '' }, ...extra };
    const completed = (await raw.send(3, 'completion/complete', completion)).body.result as JsonObject;
    expect(JSON.stringify(completed)).toContain('example.com/mode');
    const records = await served.toolbox.calls.list({ limit: 3 });
    expect(records.map(({ extraParams }) => extraParams)).toEqual([extra, extra, extra]);
  });

  test('unknown members are part of what an idempotency key stands for', async () => {
    using raw = await openRaw(served.url, 'legacy');
    const keyed = { ...call, _meta: { 'toolwharf/idempotencyKey': 'once' } };
    const first = await raw.send(1, 'tools/call', keyed);
    expect(textOf((await raw.send(2, 'tools/call', keyed)).body)).toBe(textOf(first.body));
    const { body } = await raw.send(3, 'tools/call', { ...keyed, 'example.com/mode': { dry: false } });
    expect(textOf(body)).toContain('idempotency key');
  });

  test('unknown members are shown to the person who approves the call', async () => {
    await using asking = await serveMcp({ subject: fixture('echoes-protocol') }, { approval: 'always-ask' });
    const messages: unknown[] = [];
    const accept = ({ message }: JsonObject) => {
      messages.push(message);
      return { action: 'accept', content: { answer: 'once' } };
    };
    await using client = await connectMcp(asking.url, 'legacy', { answers: { 'elicitation/create': accept } });
    await client.client.callTool(call);
    expect(messages).toEqual([expect.stringContaining('"example.com/mode":{"dry":true}')]);
  });

  test('unknown members are refused if they are too long to be shown', async () => {
    using raw = await openRaw(served.url, 'legacy');
    const { body } = await raw.send(1, 'tools/call', { ...call, 'example.com/long': 'x'.repeat(2_000) });
    expect(body.error).toMatchObject({ code: -32602 });
  });
});
