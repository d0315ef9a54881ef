import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { connectAgent, outcomeOf, toCall } from '../support/a2a.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { listenLocally } from '../support/listen.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { addScriptedAssistant, answerIn } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';

const email = 'ada.lovelace@example.com';
const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

interface Store {
  readonly storage: Storage;
  /** Everything that the store has written, as text. */
  readonly dump: () => Promise<string>;
}

const stores: readonly { readonly store: string; readonly open: () => Promise<Store> }[] = [
  {
    store: 'SQLite',
    async open() {
      const folder = await tempDir();
      const storage = await openStorage({
        ...{ kind: 'sqlite', file: folder.file('data.db') },
        sealer: createSealer(randomBytes(32)),
      });
      const dump = async () => {
        const names = await readdir(folder.path, { recursive: true, withFileTypes: true });
        const files = names.filter((name) => name.isFile());
        const texts = files.map(({ parentPath, name }) => readFile(`${parentPath}/${name}`, 'latin1'));
        return (await Promise.all(texts)).join('\n');
      };
      return { storage, dump };
    },
  },
  {
    store: 'PostgreSQL',
    async open() {
      const url = await postgres.createUrl();
      const storage = await openStorage({ kind: 'postgres', url, sealer: createSealer(randomBytes(32)) });
      const dump = async () => {
        const tables = await postgres.query(url, 'select tablename from pg_tables where schemaname = current_schema()');
        const rows = tables.map(({ tablename }) => postgres.query(url, `select t::text as row from "${tablename}" t`));
        return JSON.stringify(await Promise.all(rows));
      };
      return { storage, dump };
    },
  },
];

describe.each(stores)('the redaction of a gateway with $store', ({ open }) => {
  let api: TestApi;
  let dump: Store['dump'];
  const webhook: string[] = [];
  const exports = directory.file(`exports-${randomBytes(4).toString('hex')}`);
  const events: unknown[] = [];
  const hook = createServer(async (request, response) => {
    for await (const part of request) webhook.push(String(part));
    response.end();
  });

  beforeAll(async () => {
    const store = await open();
    dump = store.dump;
    const { url } = await listenLocally(hook);
    const exporter = directory.file(`exporter-${randomBytes(4).toString('hex')}.mjs`);
    await writeFile(
      exporter,
      `import { appendFileSync } from 'node:fs';
      const write = (items) => items.forEach((item) => appendFileSync(${JSON.stringify(exports)}, JSON.stringify(item) + '\\n'));
      export default { name: 'all', exporter: write };`,
    );
    const config = {
      servers: { files: fixture('legacy', { OWNER: email }), modern: fixture('modern') },
      redaction: {
        results: { email: 'mask' },
        arguments: { secret: 'block' },
        messages: { email: 'mask', secret: 'block' },
        mask: 'reversible',
        profiles: { open: { results: { email: 'detect' } }, closed: { results: { email: 'block' } } },
      },
      toolbox: { approval: { ask: ['mcp_files_write'] } },
      profiles: { default: {}, open: {}, closed: {}, scripts: { expose: 'code' } },
      gateway: { webhook: { url } },
      plugins: [exporter],
    };
    api = await startApi(config as never, {
      storage: store.storage,
      env: { PATH: process.env.PATH },
    });
    for (const name of ['call.changed', 'approval.asked', 'approval.answered', 'server.notified'] as const)
      api.toolbox.on(name, (event: unknown) => events.push(event));
  });
  afterAll(async () => {
    await api.close();
    hook.close();
  });

  const admin = () => ({ key: api.adminToken });
  const latest = async () => (await api.get('/api/calls?limit=1', admin())).body.calls[0];

  /** Allows the next approval, and returns it. */
  async function allow() {
    const approval = await waitFor(
      async () => (await api.get('/api/approvals?status=pending', admin())).body.approvals[0],
      { what: 'the approval' },
    );
    await api.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' }, admin());
    return approval;
  }

  const writtenTo = async (file: string) => (await readFile(file, 'utf8')).trimEnd();

  test.each(['legacy', 'modern'] as const)(
    'a client over MCP (%s) sees masks in results, resources and prompts, and a tool gets the value',
    async (era) => {
      const file = directory.file(`${era}-${randomBytes(4).toString('hex')}`);
      await using client = await connectMcp(`${api.url}/mcp`, era);
      expect(await client.text('files__env', { name: 'OWNER' })).toBe('[email-1]');
      expect(await latest()).toMatchObject({
        redaction: [{ class: 'email', rule: 'email', direction: 'results', action: 'mask', count: 1 }],
      });
      const writing = client.text('files__write', { path: file, text: 'to [email-1]' });
      expect((await allow()).arguments).toEqual({ path: file, text: 'to [email-1]' });
      await writing;
      expect(await writtenTo(file)).toBe(`to ${email}`);
      expect(await latest()).toMatchObject({
        arguments: { text: 'to [email-1]' },
        redaction: [{ rule: 'reversible-mask', direction: 'arguments', action: 'restore', count: 1 }],
      });
      const prompt = await client.client.getPrompt({ name: 'files__greet', arguments: { name: '[email-1]' } });
      expect(JSON.stringify(prompt)).toContain('[email-1]');
      const resource = await client.client.readResource({ uri: 'memo://[email-1]' });
      expect(JSON.stringify(resource)).toContain('[email-1]');
      expect(JSON.stringify([prompt, resource])).not.toContain(email);
    },
  );

  test('a profile has its own actions', async () => {
    await using open = await connectMcp(`${api.url}/mcp/open`, 'modern');
    expect(await open.text('files__env', { name: 'PATH' })).not.toContain('[');
    await using closed = await connectMcp(`${api.url}/mcp/closed`, 'modern');
    expect(await closed.text('files__env', { name: 'OWNER' })).toContain(
      'it contains what the redaction settings block',
    );
    expect(await latest()).toMatchObject({ end: 'denied', redaction: [{ action: 'block', count: 1 }] });
  });

  test('REST and A2A return masks', async () => {
    const { body } = await api.post('/api/tools/mcp_files_env/call', { arguments: { name: 'OWNER' } }, admin());
    expect(JSON.stringify(body)).toContain('[email-1]');
    const agent = await connectAgent(api.url);
    const outcome = outcomeOf(await agent.sendMessage(toCall('files__env', { name: 'OWNER' })));
    expect(JSON.stringify(outcome)).toContain('[email-1]');
    expect(JSON.stringify([body, outcome])).not.toContain(email);
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const denied = await api.post('/api/tools/mcp_files_echo/call', { arguments: { text: secret } }, admin());
    expect(denied.body.error).toMatchObject({ code: 'CALL_DENIED' });
    expect(JSON.stringify([denied.body, await latest()])).not.toContain(secret);
  });

  test('the steps of a script get masks and pass them on, and so does its result', async () => {
    const file = directory.file(`script-${randomBytes(4).toString('hex')}`);
    await using client = await connectMcp(`${api.url}/mcp/scripts`, 'modern');
    const code = `const to = await tools.files.env({ name: 'OWNER' });
      await tools.files.write({ path: ${JSON.stringify(file)}, text: 'to ' + to });
      to`;
    const running = client.client.callTool({ name: 'run_code', arguments: { code } });
    await allow();
    const result = JSON.stringify(await running);
    expect(result).toContain('[email-1]');
    expect(result).not.toContain(email);
    expect(await writtenTo(file)).toBe(`to ${email}`);
  });

  test('a model in the chat sees masks, and its calls send the value', async () => {
    const file = directory.file(`chat-${randomBytes(4).toString('hex')}`);
    await using assistant = await addScriptedAssistant(api, []);
    const { path } = await assistant.begin();
    assistant.model.push(
      { calls: [{ name: 'mcp_files_env', args: { name: 'OWNER' } }] },
      { calls: [{ name: 'mcp_files_write', args: { path: file, text: 'to [email-2] and [email-1]' } }] },
      { text: 'Sent to [email-2].' },
    );
    await api.post(`${path}/messages`, { text: 'Write to eve@example.com' });
    // An assistant asks for both calls.
    await allow();
    await allow();
    await answerIn(api, path);
    expect(await writtenTo(file)).toBe(`to ${email} and eve@example.com`);
    const seen = JSON.stringify(assistant.model.requests.map(({ body }) => body));
    expect(seen).toContain('[email-1]');
    expect(seen).not.toContain('@example.com');
    const { body } = await api.get(`${path}/export?format=json`, admin());
    expect(JSON.stringify(body)).not.toContain(email);
    const before = assistant.model.requests.length;
    await api.post(`${path}/messages`, { text: `My key is ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}` });
    expect((await answerIn(api, path)).problem).toContain('it contains what the redaction settings block: secret');
    expect(assistant.model.requests).toHaveLength(before);
  });

  test.each([
    ['legacy', 'files'],
    ['modern', 'files'],
    ['legacy', 'modern'],
    ['modern', 'modern'],
  ] as const)(
    'questions and log messages reach a client (%s) of the server %s masked, and its answers arrive with values',
    async (era, server) => {
      const asked: unknown[] = [];
      const answer = (reply: object) => (params: object) => {
        asked.push(params);
        return reply;
      };
      await using client = await connectMcp(`${api.url}/mcp`, era, {
        answers: {
          'elicitation/create': answer({ action: 'accept', content: { answer: 'it is [email-1]' } }) as never,
          'sampling/createMessage': answer({
            ...{ role: 'assistant', model: 'm' },
            content: { type: 'text', text: 'to [email-1]' },
          }) as never,
        },
      });
      await client.text('files__env', { name: 'OWNER' });
      // The tool gets the value and says it in log messages and questions, and in its result what it was answered.
      const answered = await client.text(`${server}__ask`, { question: 'Is [email-1] right?' });
      const sampled = await client.text(`${server}__sample`, { prompt: 'Write to [email-1]' });
      if (era === 'legacy') {
        await client.client.setLoggingLevel('debug');
        await client.text(`${server}__log`, { level: 'error', text: 'login of [email-1]' });
        await waitFor(() => JSON.stringify(client.logs()).includes('login of [email-1]'), { what: 'the log message' });
      }
      const texts = JSON.stringify([asked, client.logs(), answered, sampled]);
      for (const text of ['Is [email-1] right?', 'Write to [email-1]', 'it is [email-1]'])
        expect(texts).toContain(text);
      expect(texts).not.toContain(email);
      const { redaction } = (await api.get('/api/calls?limit=2', admin())).body.calls.find(
        ({ originalName }: { originalName: string }) => originalName === 'sample' || originalName === 'log',
      );
      expect(redaction).toContainEqual(expect.objectContaining({ action: 'restore' }));
    },
  );

  test('the value is in no answer of the API, event, export, webhook, log or row of the store', async () => {
    const { calls } = (await api.get('/api/calls?limit=100', admin())).body;
    for (const { id } of calls) await api.get(`/api/calls/${id}`, admin());
    await api.get('/api/audit/entries', admin());
    const exported = async () => (await readFile(exports, 'utf8')).split('\n');
    await waitFor(async () => (await exported()).length > calls.length && webhook.length > 0, { what: 'the exports' });
    const everything = {
      answers: api.answers,
      events,
      exported: await exported(),
      webhook,
      log: api.log,
      store: await dump(),
    };
    for (const [place, content] of Object.entries(everything)) {
      const text = JSON.stringify(content);
      expect(text.length, place).toBeGreaterThan(100);
      expect(text.includes(email), place).toBe(false);
      if (place !== 'log') expect(text.includes('email-1'), place).toBe(true);
    }
  });
});

test('replicas share masks', async () => {
  const url = await postgres.createUrl();
  const sealer = createSealer(randomBytes(32));
  const config = {
    servers: { files: fixture('legacy', { OWNER: email }) },
    redaction: { results: { email: 'mask' }, mask: 'reversible' },
  };
  const openOne = async () =>
    startApi(config as never, {
      storage: await openStorage({ kind: 'postgres', url, sealer }),
      env: { PATH: process.env.PATH },
    });
  await using first = await openOne();
  await using second = await openOne();
  await using one = await connectMcp(`${first.url}/mcp`, 'modern');
  await using other = await connectMcp(`${second.url}/mcp`, 'modern');
  expect(await one.text('files__env', { name: 'OWNER' })).toBe('[email-1]');
  const file = directory.file(`replicas-${randomBytes(4).toString('hex')}`);
  await other.text('files__write', { path: file, text: '[email-1]' });
  expect((await readFile(file, 'utf8')).trimEnd()).toBe(email);
  expect(await other.text('files__echo', { text: 'bob@example.com' })).toBe('[email-2]');
  expect(await one.text('files__env', { name: 'OWNER' })).toBe('[email-1]');
});

test('a gateway whose feature is switched off refuses to start with redaction', async () => {
  const config = { servers: {}, redaction: { results: { email: 'mask' } }, features: { redaction: false } };
  await expect(startApi(config as never)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining("nothing applies 'redaction' here: switch on the feature 'redaction'"),
  });
});
