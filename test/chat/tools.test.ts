import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { answerSampling } from '../../packages/gateway/features/chat/answer-sampling.ts';
import { assistantTools } from '../../packages/gateway/features/chat/assistant-tools.ts';
import { createModels } from '../../packages/gateway/features/chat/models/create-models.ts';
import { startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { fixture } from '../support/fixtures.ts';
import { openTestChat } from '../support/open-chat.ts';
import { openToolbox } from '../support/toolbox.ts';

describe('the tools of an assistant', () => {
  const names = async () => new Map([['an-id', 'stored']]);

  test('the tools of an assistant are those of its servers, by id or name, with their cost and the missing servers [R8]', async () => {
    await using toolbox = await openToolbox({
      servers: {
        fixture: fixture('legacy'),
        stored: fixture('malformed-tool'),
        off: { ...fixture('legacy'), enabled: false },
        broken: fixture('crash-on-start'),
      },
      profiles: { team: { servers: ['fixture'] } },
    });
    const ports = { toolbox, serverNames: names };
    const assistant = {
      serverIds: ['fixture', 'an-id', 'off', 'broken', 'gone', 'local'],
      disabledTools: ['fixture/{write,sl*}', 'fixture/write'],
      trustedTools: ['fixture/e*', 'echo'],
    };
    const found = await assistantTools(assistant, ports);
    const echo = found.tools.find(({ name }) => name === 'mcp_fixture_echo');
    expect(echo).toMatchObject({
      server: 'fixture',
      originalName: 'echo',
      enabled: true,
      disabledBy: [],
      trustedBy: ['fixture/e*'],
    });
    const write = found.tools.find(({ name }) => name === 'mcp_fixture_write');
    expect(write).toMatchObject({
      enabled: false,
      disabledBy: ['fixture/{write,sl*}', 'fixture/write'],
      trustedBy: [],
    });
    const off = found.tools.filter(({ enabled }) => !enabled).map(({ originalName }) => originalName);
    expect(off).toEqual(['sleep', 'write']);
    expect(found.tools.some(({ server }) => server === 'stored')).toBe(true);
    expect(found.count).toBe(found.tools.length - off.length - found.omitted.length);
    expect(found.estimatedTokens).toBeGreaterThan(found.count * 5);
    expect(found.warning).toBeUndefined();
    expect(found.missingServers).toEqual([
      { id: 'off', reason: 'The server is disabled' },
      { id: 'broken', reason: expect.any(String) },
      { id: 'gone', reason: 'The server does not exist' },
    ]);
    const held = await assistantTools(assistant, ports, 'team');
    expect(new Set(held.tools.map(({ server }) => server))).toEqual(new Set(['fixture']));
    expect(held.missingServers[0]).toEqual({ id: 'an-id', reason: 'The server is not part of the profile team' });
  });

  test('the tools of an assistant cause a warning if there are many', async () => {
    await using toolbox = await openToolbox({ servers: { many: fixture('legacy', { TOOLS: '41' }) } });
    const ports = { toolbox, serverNames: names };
    const all = await assistantTools({ serverIds: ['many'], disabledTools: [], trustedTools: [] }, ports);
    expect(all).toMatchObject({ count: 41, warning: expect.stringMatching(/^Models choose badly among 41 tools/) });
    const disabledTools = all.tools.slice(0, 1).map(({ originalName }) => `many/${originalName}`);
    const fewer = await assistantTools({ serverIds: ['many'], disabledTools, trustedTools: [] }, ports);
    expect(fewer.warning).toBeUndefined();
  });

  test('the tools of an assistant include local tools', async () => {
    await using toolbox = await openToolbox(
      { servers: {} },
      {
        tools: [{ name: 'now', description: 'The time', parameters: { type: 'object' }, execute: async () => 'noon' }],
      },
    );
    const found = await assistantTools(
      { serverIds: ['local'], disabledTools: [], trustedTools: [] },
      { toolbox, serverNames: names },
    );
    expect(found.tools).toMatchObject([{ name: 'now', enabled: true }]);
    expect(found.missingServers).toEqual([]);
  });
});

describe('a sampling request of a server', () => {
  async function modelAt(url: string) {
    const { providers, modelSettings: settings } = await openStorage({ kind: 'memory' });
    const id = crypto.randomUUID();
    await providers.put({ id, name: 'Scripted', kind: 'openai-compatible', baseUrl: url, allowInsecure: false });
    return createModels({ providers, settings, env: {} }).open({
      provider: id,
      model: 'scripted',
    });
  }

  async function demoModel() {
    const { providers, modelSettings: settings } = await openStorage({ kind: 'memory' });
    return createModels({ providers, settings, env: {} }).open({ provider: 'demo', model: 'demo' });
  }

  test('a sampling request of a server is answered by the model with its parameters', async () => {
    await using model = await startScriptedChat([{ text: 'A haiku.' }, { text: 'Cut', finish: 'length' }]);
    const opened = await modelAt(model.url);
    const params = {
      systemPrompt: 'Be a poet.',
      messages: [
        { role: 'user', content: { type: 'text', text: 'Look:' } },
        { role: 'assistant', content: [{ type: 'text', text: 'Yes?' }] },
        { role: 'user', content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
      ],
      maxTokens: 50,
      temperature: 0.5,
      stopSequences: ['END'],
    };
    expect(await answerSampling(params, opened)).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'A haiku.' },
      model: 'Scripted · scripted',
      stopReason: 'endTurn',
    });
    expect(model.requests[0]?.body).toMatchObject({ max_tokens: 50, temperature: 0.5, stop: ['END'] });
    expect(model.requests[0]?.messages).toMatchObject([
      { role: 'system', content: 'Be a poet.' },
      { role: 'user', content: 'Look:' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
    ]);
    const short = { messages: [{ role: 'user', content: { type: 'text', text: 'Go' } }] };
    expect(await answerSampling(short, opened)).toMatchObject({ stopReason: 'maxTokens' });
  });

  test.each([
    [{ messages: [] }, /at least one message/],
    [{ messages: ['x'] }, /must be an object/],
    [{ messages: [{ role: 'system', content: { type: 'text', text: '' } }] }, /user or assistant/],
    [{ messages: [{ role: 'user', content: 'x' }] }, /object or a list/],
    [{ messages: [{ role: 'user', content: { type: 'video' } }] }, /type video/],
    [{ messages: [{ role: 'assistant', content: { type: 'image' } }] }, /must be text/],
    [{ messages: [{ role: 'user', content: [] }], tools: [{}] }, /tools is not supported/],
  ])('a sampling request of a server such as %j is rejected with the reason', async (params, message) => {
    const opened = await demoModel();
    await expect(answerSampling(params, opened)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });

  test('a sampling request of a server is answered by the demo model with a scripted text', async () => {
    const opened = await demoModel();
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] };
    expect(await answerSampling(params, opened)).toMatchObject({
      model: 'Demo (scripted)',
      content: { text: expect.stringContaining('scripted') },
      stopReason: 'endTurn',
    });
    expect(opened.explain(new Error('odd'))).toBe('The demo failed: odd.');
  });

  test('a sampling request of a server fails with the reason of the model, and gets no answer after it is cancelled', async () => {
    await using model = await startScriptedChat([{ status: 401, error: 'no' }]);
    const opened = await modelAt(model.url);
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Go' } }] };
    await expect(answerSampling(params, opened)).rejects.toThrow(/rejected the key/);
    await expect(answerSampling(params, opened, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  });

  test('a sampling request of a server during a call is answered by the model of its conversation', async () => {
    await using model = await startScriptedChat(({ last, messages }) =>
      messages.length === 1
        ? { text: `sampled: ${last}` }
        : messages.at(-1)?.role === 'tool'
          ? { text: `Got ${last}` }
          : { calls: [{ name: 'mcp_fixture_sample', args: { prompt: 'a word' } }] },
    );
    await using testChat = await openTestChat({
      config: { servers: { fixture: fixture('legacy') } },
      model,
      host: { sample: async () => Promise.reject(new Error('This is no call of a conversation')) },
      ports: { hostFor: (_call, opened) => ({ sample: (params) => answerSampling(params, opened) }) },
    });
    const answer = await testChat.sendAndWait('Sample');
    expect(JSON.stringify(answer.parts.at(-1))).toContain('sampled: a word');
  });
});

test('provider metadata of reasoning and calls is returned to the provider, in the same answer and later', async () => {
  const requests: { messages: { role: string; content: unknown }[] }[] = [];
  const server = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of requests.length === 1 ? thinkingTurn : textTurn)
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using testChat = await openTestChat({
      config: { servers: { fixture: fixture('legacy') } },
      model: { url, kind: 'anthropic' },
    });
    await testChat.sendAndWait('Think');
    await testChat.sendAndWait('Again');
    for (const { messages } of requests.slice(1)) {
      expect(messages[1]).toMatchObject({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
          { type: 'tool_use', id: 'toolu_1', name: 'mcp_fixture_image', input: {} },
        ],
      });
      // Anthropic models accept images in tool results.
      expect(messages[2]).toMatchObject({ content: [{ type: 'tool_result', content: [{ type: 'image' }] }] });
    }
    expect(requests).toHaveLength(3);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const start = {
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'x',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
};
const ending = (reason: string) => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];
const thinkingTurn = [
  start,
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'signed' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'mcp_fixture_image', input: {} },
  },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } },
  { type: 'content_block_stop', index: 1 },
  ...ending('tool_use'),
];
const textTurn = [
  start,
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } },
  { type: 'content_block_stop', index: 0 },
  ...ending('end_turn'),
];
