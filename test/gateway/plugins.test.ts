import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);

const guard = `
export default ({ secretWord }) => ({
  name: 'guard',
  policy: ({ arguments: { text } }) => {
    if (text === 'crash') throw new Error('no database');
    if (text === secretWord) return { kind: 'deny', reason: 'a secret' };
    return text === 'ask' || text === 'person' ? { kind: 'ask', reason: 'it asks' } : undefined;
  },
  approver: async ({ arguments: { text } }) => (text === 'ask' ? { kind: 'allow' } : undefined),
  exporter: () => { throw new Error('disk full'); },
});`;

describe('a gateway with plugins', () => {
  let api: TestApi;
  let config: string;
  beforeAll(async () => {
    await writeFile(directory.file('guard.mjs'), guard);
    config = await cli.config({
      plugins: [{ module: './guard.mjs', options: { secretWord: 'hush' } }],
      servers: { demo: fixture('legacy') },
    });
    api = await startApi(config);
  });
  afterAll(() => api[Symbol.asyncDispose]());

  const call = async (text: string) => {
    const { body } = await api.post('/api/tools/mcp_demo_echo/call', { arguments: { text } }, { key: api.adminToken });
    return body;
  };

  test('a gateway with plugins denies calls over MCP by their policy, and survives its exceptions', async () => {
    await using client = await connectClient(`${api.url}/mcp`);
    expect(await client.text('demo__echo', { text: 'hello' })).toBe('hello');
    expect(await client.text('demo__echo', { text: 'hush' })).toContain('was denied: a secret');
    expect(await client.text('demo__echo', { text: 'crash' })).toContain(
      "The policy of plugin 'guard' failed: no database",
    );
    expect(await client.text('demo__echo', { text: 'still here' })).toBe('still here');
  });

  test('a gateway with plugins stores the answer of their approver with its name, and lets people answer the others', async () => {
    expect((await call('ask')).isError).toBe(false);
    const { body: answered } = await api.get('/api/approvals', { key: api.adminToken });
    expect(answered.approvals[0]).toMatchObject({
      status: 'used',
      answeredBy: 'plugin:guard',
      policy: 'guard',
      reason: 'it asks',
    });
    const calling = call('person');
    const pending = await waitFor(
      async () => (await api.get('/api/approvals?status=pending', { key: api.adminToken })).body.approvals[0],
      { what: 'the approval' },
    );
    await api.post(`/api/approvals/${pending.id}/answer`, { answer: 'allow' }, { key: api.adminToken });
    expect((await calling).isError).toBe(false);
    const { body } = await api.get('/api/calls?limit=2', { key: api.adminToken });
    expect(body.calls.map((record: { approval: { by: string } }) => record.approval.by)).toEqual([
      expect.not.stringContaining('plugin'),
      'plugin:guard',
    ]);
  });

  test('a gateway with plugins shows them with the items that their exporter dropped', async () => {
    await call('one more');
    const plugin = await waitFor(
      async () => {
        const [found] = (await api.get('/api/config', { key: api.adminToken })).body.plugins;
        return found.dropped > 0 && found;
      },
      { what: 'a dropped item' },
    );
    expect(plugin).toMatchObject({
      name: 'guard',
      module: './guard.mjs',
      parts: ['policy', 'approver', 'exporter'],
      exported: 0,
    });
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    expect(metrics).toMatch(/toolwharf_plugin_items_total\{plugin="guard",outcome="dropped"\} [1-9]/);
    expect(api.log.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['plugin.loaded', 'plugin.exporter-failed']),
    );
  });

  test('toolwharf doctor lists plugins, and explains why one cannot be loaded', async () => {
    const listed = await cli.run(['doctor', '--local', '-c', config]);
    expect(listed.stdout).toContain('plugin guard  policy, approver, exporter from ./guard.mjs');
    const broken = await cli.config({ plugins: ['not-installed'], servers: {} });
    const failed = await cli.run(['doctor', '--local', '-c', broken]);
    expect(failed.code).not.toBe(0);
    expect(failed.stdout).toContain("plugins[0] cannot load 'not-installed': it is not installed in");
  });
});
