import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { addScriptedAssistant, answerIn, type ScriptedAssistant } from '../support/scripted-assistant.ts';

const secret = 'sk-harbour-4711-secret';
let api: TestApi;
let assistant: ScriptedAssistant;

beforeAll(async () => {
  api = await startApi({ servers: { files: fixture('legacy', { HARBOUR_TOKEN: secret }) } });
  assistant = await addScriptedAssistant(api, [], { toolApproval: 'auto' });
});
afterAll(async () => {
  await api.close();
  await assistant[Symbol.asyncDispose]();
});

/** Sends a message in a new conversation and waits for the answer. */
async function say(text: string, answer: string) {
  assistant.model.push({ text: answer });
  const { id, path } = await assistant.begin();
  await api.post(`${path}/messages`, { text });
  return { id, path, answer: await answerIn(api, path) };
}

describe('the search for conversations', () => {
  test('the search for conversations finds words in titles and messages and marks them', async () => {
    const { id } = await say(
      'Where is the Hafenmeister’s café?',
      'The café is at the old pier, beside the lighthouse.',
    );
    const search = async (query: string) =>
      (await api.get(`/api/conversations/search?query=${encodeURIComponent(query)}`)).body.matches;
    const marked = (text: string, ranges: [number, number][]) => ranges.map(([start, end]) => text.slice(start, end));

    const [cafe] = await search('CAFE pier');
    expect(cafe.conversation.id).toBe(id);
    expect(marked(cafe.conversation.title, cafe.titleHighlights)).toEqual(['café']);
    expect(cafe.messages).toHaveLength(1);
    expect(marked(cafe.messages[0].excerpt, cafe.messages[0].highlights)).toEqual(['café', 'pier']);
    expect(cafe.messages[0].role).toBe('assistant');

    const [typo] = await search('lighthuose');
    expect(marked(typo.messages[0].excerpt, typo.messages[0].highlights)).toEqual(['lighthouse']);
    expect(await search('submarine')).toEqual([]);
    expect((await api.get('/api/conversations/search?query=%20')).status).toBe(400);
    expect((await api.get('/api/conversations/search?query=x&limit=51')).status).toBe(400);
  });

  test('the search for conversations finds messages of a branch that is not selected', async () => {
    const { path, answer } = await say('Name a fish', 'A turbot.');
    assistant.model.push({ text: 'A herring.' });
    await api.post(`${path}/messages/${answer.id}/retry`);
    await answerIn(api, path);
    const { matches } = (await api.get('/api/conversations/search?query=turbot')).body;
    expect(matches[0].messages.map((message: { id: string }) => message.id)).toEqual([answer.id]);
    expect((await api.post(`${path}/messages/${answer.id}/select`)).status).toBe(204);
    expect((await answerIn(api, path)).id).toBe(answer.id);
  });
});

describe('an attachment', () => {
  test('an attachment is stored with the message, returned as data, and deleted with the conversation', async () => {
    const { path } = await assistant.begin();
    const data = Buffer.from('<script>alert(1)</script>').toString('base64');
    assistant.model.push({ text: 'Read.' });
    const attachments = [{ name: 'page.png', data }];
    expect((await api.post(`${path}/messages`, { text: '', attachments })).status).toBe(200);
    await answerIn(api, path);
    const [message] = (await api.get(path)).body.messages;
    const [part] = message.parts;
    expect(part).toMatchObject({ type: 'attachment', kind: 'text', mediaType: 'text/plain', name: 'page.png' });
    const found = await api.get(`${path}/attachments/${part.id}`);
    expect(found.body).toEqual({ id: part.id, sizeBytes: 25, data });
    expect(found.headers.get('content-type')).toBe('application/json');
    expect((await api.get(`${path}/attachments/${randomUUID()}`)).status).toBe(404);
    const { path: other } = await assistant.begin();
    expect((await api.get(`${other}/attachments/${part.id}`)).status).toBe(404);
    await api.delete(path);
    expect((await api.get(`${path}/attachments/${part.id}`)).status).toBe(404);
  });

  test('an attachment is refused with a reason that says what to do', async () => {
    const { path } = await assistant.begin();
    const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64');
    const refused = await api.post(`${path}/messages`, { text: 'Look', attachments: [{ name: 'a.png', data: png }] });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'REQUEST_INVALID' } } });
    expect(refused.body.error.message).toMatch(/Whether scripted takes images is unknown/);
    const wrong = await api.post(`${path}/messages`, { text: 'Look', attachments: [{ name: 'a', data: '%%%' }] });
    expect(wrong.status).toBe(400);
    const { matches } = (await api.get('/api/conversations/search?query=look')).body;
    expect(matches).toEqual([]);
  });
});

test('an export is a file that browsers save, with redacted tool results', async () => {
  assistant.model.push(
    { calls: [{ name: 'mcp_files_env', args: { name: 'HARBOUR_TOKEN' } }] },
    { text: 'There it is.' },
  );
  const { path } = await assistant.begin();
  await api.post(`${path}/messages`, { text: 'Which "token" is it?' });
  await answerIn(api, path);
  const markdown = await api.get(`${path}/export`);
  expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(markdown.headers.get('content-disposition')).toBe('attachment; filename="Which-token-is-it-.md"');
  expect(markdown.body).toContain('**Tool call: files / env** (success)');
  expect(markdown.body).toContain('[redacted]');
  const json = await api.get(`${path}/export?format=json`);
  expect(json.body.messages).toHaveLength(2);
  for (const exported of [markdown.body, JSON.stringify(json.body)]) expect(exported).not.toContain(secret);
  expect((await api.get(`${path}/export?format=html`)).status).toBe(400);
});

describe('the settings of a model', () => {
  const settings = () => ({ provider: assistant.provider, model: 'scripted' });

  test('the settings of a model give answers a cost, and are deleted when nothing is set', async () => {
    const prices = { ...settings(), inputPrice: 100, outputPrice: 200 };
    expect((await api.put('/api/model-settings', prices)).body).toEqual(prices);
    expect((await api.get('/api/model-settings')).body.settings).toEqual([prices]);
    const { path } = await say('How much is it?', 'Little.');
    const { conversation, messages } = (await api.get(path)).body;
    expect([messages.at(-1).costUsd, conversation.costUsd]).toEqual([0.002, 0.002]);
    await api.put('/api/model-settings', settings());
    expect((await api.get('/api/model-settings')).body.settings).toEqual([]);
    const { path: later } = await say('And now?', 'Nothing.');
    expect((await api.get(later)).body.conversation).not.toHaveProperty('costUsd');
  });

  test('the settings of a model need both prices, and an administrator', async () => {
    for (const wrong of [
      { inputPrice: 1 },
      { outputPrice: 1 },
      { cachedInputPrice: 1 },
      { inputPrice: -1, outputPrice: 1 },
    ])
      expect((await api.put('/api/model-settings', { ...settings(), ...wrong })).status).toBe(400);
    const key = await api.key(['read', 'call']);
    expect((await api.put('/api/model-settings', settings(), { key })).status).toBe(403);
    expect((await api.get('/api/model-settings', { key })).status).toBe(200);
  });
});
