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

const hooks = `
const settings = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => (typeof value.word === 'string' ? { value } : { issues: [{ message: 'must be text', path: ['word'] }] }),
    jsonSchema: { input: () => ({ type: 'object', properties: { word: { type: 'string', title: 'Word' } } }) },
  },
};
export default {
  name: 'hooks',
  settings,
  secrets: { vault: ({ path, server }) => 'secret-' + path + '-' + server },
  list: ({ originalName }, { profile }) => profile === 'default' || originalName !== 'fail',
  change: ({ arguments: args }, { settings: { word } }) =>
    args.text === 'change' ? { arguments: { text: word } } : undefined,
  result({ originalName, arguments: args }, { structuredContent }) {
    if (args.text === 'block') return { kind: 'block', reason: 'not for clients' };
    if (originalName !== 'structured') return undefined;
    const changed = { ...structuredContent, degrees: 0 };
    return {
      kind: 'change',
      result: { structuredContent: changed, content: [{ type: 'text', text: JSON.stringify(changed) }] },
      labels: ['weather'],
    };
  },
};`;

const watcher = `
export default {
  name: 'watcher',
  list: () => false,
  change: () => ({ arguments: { text: 'changed' } }),
  result: () => ({ kind: 'block', reason: 'no' }),
};`;

const flaky = `
const fail = () => { throw new Error('no database'); };
export default ({ name }) => ({ name, list: fail, change: fail, result: fail, review: () => new Promise(() => {}) });`;

describe('a gateway with hooks of plugins', () => {
  let api: TestApi;
  beforeAll(async () => {
    await writeFile(directory.file('hooks.mjs'), hooks);
    await writeFile(directory.file('watcher.mjs'), watcher);
    await writeFile(directory.file('flaky.mjs'), flaky);
    const config = await cli.config({
      plugins: [
        { module: './hooks.mjs', options: { word: 'changed' } },
        { module: './watcher.mjs', mode: 'shadow' },
        { module: './flaky.mjs', options: { name: 'flaky' }, onFailure: 'allow', timeout: '20ms' },
      ],
      servers: { demo: fixture('legacy', { API_TOKEN: '${vault:token}' }) },
      profiles: { team: {}, searching: { expose: 'search' } },
    });
    api = await startApi(config);
  });
  afterAll(() => api[Symbol.asyncDispose]());

  test('a tool that a plugin hides from a profile is in no list of it, and cannot be found or called', async () => {
    await using everyone = await connectClient(`${api.url}/mcp`);
    expect(await everyone.names()).toEqual(expect.arrayContaining(['demo__echo', 'demo__fail']));
    await using team = await connectClient(`${api.url}/mcp/team`);
    const names = await team.names();
    expect(names).toContain('demo__echo');
    expect(names).not.toContain('demo__fail');
    await expect(team.client.callTool({ name: 'demo__fail', arguments: {} })).rejects.toThrow(/demo__fail/);
    await using searching = await connectClient(`${api.url}/mcp/searching`);
    const found = await searching.text('search_tools', { query: 'fail echo' });
    expect(found).toContain('demo__echo');
    expect(found).not.toContain('demo__fail');
    const key = await api.key(['read', 'call'], 'team');
    const { body } = await api.get('/api/tools', { key });
    const listed = body.tools.map(({ originalName }: { originalName: string }) => originalName);
    expect(listed).toContain('echo');
    expect(listed).not.toContain('fail');
    expect((await api.post('/api/tools/mcp_demo_fail/call', { arguments: {} }, { key })).status).toBe(404);
  });

  test('arguments that a plugin changed are those of the journal, which names the plugin', async () => {
    await using client = await connectClient(`${api.url}/mcp`);
    expect(await client.text('demo__echo', { text: 'change' })).toBe('changed');
    const { body } = await api.get('/api/calls?limit=1', { key: api.adminToken });
    expect(body.calls[0]).toMatchObject({ arguments: { text: 'changed' }, changedBy: { arguments: ['hooks'] } });
  });

  test('results that a plugin changes or blocks reach neither the client nor the journal, also as structured content', async () => {
    await using client = await connectClient(`${api.url}/mcp`);
    const weather = await client.client.callTool({ name: 'demo__structured', arguments: { city: 'Rome' } });
    expect(weather.structuredContent).toMatchObject({ city: 'Rome', degrees: 0 });
    expect(await client.text('demo__echo', { text: 'block' })).toContain('was blocked: not for clients');
    const { body } = await api.get('/api/calls?limit=2', { key: api.adminToken });
    const [blocked, changed] = await Promise.all(
      body.calls.map(
        async ({ id }: { id: string }) => (await api.get(`/api/calls/${id}`, { key: api.adminToken })).body,
      ),
    );
    expect(blocked).toMatchObject({ status: 'error', end: 'denied', error: { code: 'RESULT_BLOCKED' } });
    expect(blocked.result).toBeUndefined();
    expect(changed).toMatchObject({
      changedBy: { result: ['hooks'] },
      labels: ['weather'],
      result: { structuredContent: { degrees: 0 } },
    });
  });

  test('the value of a secret of a plugin reaches the server, and nobody else', async () => {
    await using client = await connectClient(`${api.url}/mcp`);
    expect(await client.text('demo__env', { name: 'API_TOKEN' })).toBe('[redacted]');
    expect(JSON.stringify([api.log, api.answers])).not.toContain('secret-token-demo');
  });

  test('plugins in shadow mode and those that may fail change nothing, and are listed with the time of their hooks', async () => {
    await using client = await connectClient(`${api.url}/mcp`);
    expect(await client.text('demo__echo', { text: 'hello' })).toBe('hello');
    const { body } = await api.get('/api/config', { key: api.adminToken });
    const [own, shadow, failing, ...others] = body.plugins;
    expect(own).toMatchObject({
      name: 'hooks',
      parts: ['list', 'change', 'result', 'secrets vault'],
      mode: 'enforce',
      onFailure: 'deny',
      settings: { properties: { word: { title: 'Word' } } },
    });
    const times = Object.fromEntries(own.hooks.map(({ hook, ...rest }: { hook: string }) => [hook, rest]));
    expect(Object.keys(times)).toEqual(['list', 'secrets', 'change', 'result']);
    expect(times.change).toMatchObject({ failures: 0, shadowed: 0 });
    expect(times.change.totalMs).toBeGreaterThan(0);
    expect(shadow).toMatchObject({ name: 'watcher', mode: 'shadow' });
    expect(shadow.hooks.every(({ shadowed }: { shadowed: number }) => shadowed > 0)).toBe(true);
    expect(failing).toMatchObject({ name: 'flaky', onFailure: 'allow' });
    expect(failing.hooks.every(({ runs, failures }: { runs: number; failures: number }) => runs === failures)).toBe(
      true,
    );
    expect(others.map(({ feature }: { feature?: string }) => feature)).toEqual(
      expect.arrayContaining(['notifications', 'telemetry']),
    );
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    expect(metrics).toMatch(/toolwharf_plugin_hook_seconds_total\{plugin="hooks",hook="change"\} 0?\.?\d/);
    expect(metrics).toMatch(
      /toolwharf_plugin_hook_runs_total\{plugin="watcher",hook="result",outcome="shadowed"\} [1-9]/,
    );
    expect(metrics).toMatch(/toolwharf_plugin_hook_runs_total\{plugin="flaky",hook="review",outcome="failed"\} [1-9]/);
    expect(metrics).toMatch(/toolwharf_calls_total\{server="demo",status="success"\} [1-9]/);
  });

  test('a plugin that may not fail and fails hides all tools', async () => {
    const config = await cli.config({
      plugins: [{ module: './flaky.mjs', options: { name: 'strict' } }],
      servers: { demo: fixture('legacy') },
    });
    await using strict = await startApi(config);
    await using client = await connectClient(`${strict.url}/mcp`);
    expect(await client.names()).toEqual([]);
  });

  test('toolwharf doctor names shadow mode, and options that the settings of a plugin reject with their place in the file', async () => {
    const shadowed = await cli.config({ plugins: [{ module: './watcher.mjs', mode: 'shadow' }], servers: {} });
    const listed = await cli.run(['doctor', '--local', '-c', shadowed]);
    expect(listed.stdout).toContain('plugin watcher  list, change, result from ./watcher.mjs, in shadow mode');
    const wrong = await cli.config({ plugins: [{ module: './hooks.mjs', options: { word: 5 } }], servers: {} });
    const failed = await cli.run(['doctor', '--local', '-c', wrong]);
    expect(failed.stdout).toContain("plugins[0] './hooks.mjs' rejects its options: word: must be text");
  });
});
