import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { features } from '../../packages/gateway/features/index.ts';
import type { ConfigSource } from '../../packages/toolwharf/index.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { collectLog, type HttpServer, startHttp, tempDir } from '../support/fixtures.ts';
import { connectClient, openTestGateway } from '../support/open-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

let server: HttpServer;

beforeAll(async () => {
  server = await startHttp('modern-http');
});

afterAll(() => server?.[Symbol.asyncDispose]());

/** The feature, and those that need it. */
function withDependants(name: string): string[] {
  return [name, ...features.filter(({ needs }) => needs?.includes(name)).map((feature) => feature.name)];
}

function without(...names: string[]): ConfigSource {
  const off = Object.fromEntries(names.map((name) => [name, false]));
  const oidc = { issuer: 'https://id.example.com', clientId: 'toolwharf' };
  return { servers: { there: { url: server.url } }, gateway: { oidc }, features: off } as never;
}

/** What answers 404 only without the feature, besides its routes of the API. */
const endpoints: Readonly<Record<string, string>> = {
  a2a: '/.well-known/agent-card.json',
  'sign-in': '/.well-known/oauth-protected-resource',
  telemetry: '/metrics',
};

async function operationsOf(api: TestApi): Promise<string[]> {
  const { body } = await api.get('/api/openapi.json', { key: api.adminToken });
  const methods = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>);
  return methods.flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
}

describe('a gateway without a feature', () => {
  test.each(features.map(({ name }) => name))('a gateway without %s lists and calls tools', async (name) => {
    await using api = await startApi(without(...withDependants(name)));
    for (const era of ['legacy', 'auto'] as const) {
      await using client = await connectClient(`${api.url}/mcp`, { era, key: api.adminToken });
      const tool = (await client.names()).find((one) => one.endsWith('echo')) ?? 'no echo';
      expect(await client.text(tool, { text: 'ahoy' })).toContain('ahoy');
    }
  });

  test.each(features.map(({ name }) => name))('a gateway without %s has none of its routes', async (name) => {
    const routes = (await features.find((feature) => feature.name === name)?.routes?.()) ?? [];
    await using api = await startApi(without(...withDependants(name)));
    const session = await api.get('/api/session', { key: api.adminToken });
    expect(session.body.features).toEqual(
      features.map((feature) => feature.name).filter((one) => !withDependants(name).includes(one)),
    );
    const operations = await operationsOf(api);
    expect(operations.length).toBeGreaterThan(20);
    expect(operations.filter((id) => routes.some(({ operationId }) => operationId === id))).toEqual([]);
    for (const { method, path } of routes) {
      const url = new URL(path.replaceAll(/\{\w+\}/g, 'x/y'), api.url);
      const headers = { authorization: `Bearer ${api.adminToken}` };
      expect((await fetch(url, { method: method.toUpperCase(), headers })).status, `${method} ${path}`).toBe(404);
    }
    const endpoint = endpoints[name];
    if (endpoint === undefined) return;
    expect((await api.get(endpoint, { key: api.adminToken })).status).toBe(404);
    await using whole = await startApi(without());
    expect((await whole.get(endpoint, { key: whole.adminToken })).status).toBe(200);
  });

  test('a gateway without tasks announces none, answers no method of tasks, and runs calls that ask for a task', async () => {
    await using gateway = await openTestGateway(without('tasks', 'a2a'));
    await using legacy = await connectClient(`${gateway.url}/mcp`, { era: 'legacy' });
    expect(legacy.client.getServerCapabilities()?.tasks).toBeUndefined();
    const { tools } = await legacy.client.listTools();
    expect(tools.filter(({ execution }) => execution?.taskSupport !== undefined)).toEqual([]);
    const list = legacy.client.request({ method: 'tasks/list', params: {} } as never, anything as never);
    await expect(list).rejects.toMatchObject({ code: -32601 });
    const name = tools.find((tool) => tool.name.endsWith('echo'))?.name ?? 'no echo';
    const params = { name, arguments: { text: 'ahoy' }, task: { ttl: 1000 } };
    expect(await legacy.client.request({ method: 'tools/call', params } as never, anything as never)).toMatchObject({
      content: [{ type: 'text' }],
    });
  });

  test('a gateway without skills answers no method of skills', async () => {
    await using gateway = await openTestGateway(without('skills'));
    await using legacy = await connectClient(`${gateway.url}/mcp`, { era: 'legacy' });
    const list = legacy.client.request({ method: 'skills/list', params: {} } as never, anything as never);
    await expect(list).rejects.toMatchObject({ code: -32601 });
  });
});

/** A schema that accepts every result. */
const anything = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } };

describe('the features of the configuration', () => {
  test('the features of the configuration must be known: the error lists them and suggests one', async () => {
    const opening = openTestGateway({ features: { chatt: false } } as never);
    await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(opening).rejects.toThrow(/features\.chatt.*is not a feature.*a2a.*traffic.*did you mean.*chat/s);
  });

  test('the features of the configuration are switched off in the file of another program too', async () => {
    const { log, entries } = collectLog();
    const open = (features: object) => openTestGateway({ mcpServers: {}, features } as never, { log });
    await using gateway = await open({ chat: false });
    expect(gateway.toolbox.config.features).toEqual({ chat: false });
    await expect(open({ chatt: false })).rejects.toThrow(/features\.chatt.*did you mean.*chat/s);
    const isIgnored = () => entries.some(({ message }) => message === 'Keys of another program are ignored: features');
    expect(isIgnored()).toBe(false);
    await using _other = await open({ darkMode: true });
    expect(isIgnored()).toBe(true);
    await using _another = await open({ theme: 'dark' });
  });

  test('the features of the configuration must have what they need: the error names both', async () => {
    const opening = openTestGateway({ features: { tasks: false } } as never);
    await expect(opening).rejects.toThrow(/features\.tasks.*'a2a' needs 'tasks'/s);
  });

  test('the features of the configuration are true or false', async () => {
    await expect(openTestGateway({ features: { chat: 'off' } } as never)).rejects.toThrow(/must be true or false/);
  });

  test('the features of the configuration change with the next start, and a changed file with an unknown one is refused', async () => {
    await using folder = await tempDir();
    const file = folder.file('toolwharf.yaml');
    await writeFile(file, 'servers: {}\n');
    const { log, entries } = collectLog();
    await using gateway = await openTestGateway(file, { watch: true, log });
    await writeFile(file, 'servers: {}\nfeatures: { chat: false }\n');
    const warned = () => entries.find(({ event }) => event === 'config.restart-needed');
    expect(await waitFor(warned, { what: 'the warning' })).toMatchObject({ message: expect.stringContaining('chat') });
    await writeFile(file, 'servers: {}\nfeatures: { chatt: false }\n');
    const refused = () => entries.find(({ event }) => event === 'config.refused');
    expect((await waitFor(refused, { what: 'the refusal' }))?.message).toMatch(
      /toolwharf\.yaml:2:\d+.*features\.chatt/,
    );
    expect(gateway.toolbox.config.features).toEqual({ chat: false });
  });
});
