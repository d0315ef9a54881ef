import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../packages/gateway/features/registry/registry.ts';
import { startApi, unasked } from '../support/api.ts';
import { startHttp, tempDir } from '../support/fixtures.ts';
import { startGatewayHere } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { sandboxProblem } from '../support/sandbox.ts';
import { serveHttpApi } from '../support/serve-http-api.ts';
import { type PublishedServer, serveRegistry } from '../support/serve-registry.ts';

const weather = {
  name: 'io.github.ada/weather',
  description: 'Weather of the world',
  version: '1.2.0',
  packages: [
    {
      registryType: 'npm',
      identifier: '@ada/weather',
      version: '1.2.0',
      transport: { type: 'stdio' },
      environmentVariables: [{ name: 'KEY', isRequired: true, isSecret: true }],
    },
  ],
};
const remote = (url: string): PublishedServer => ({
  name: 'io.github.ada/notes',
  description: 'Notes',
  version: '2.0.0',
  remotes: [{ type: 'streamable-http', url, headers: [{ name: 'X-Team', isRequired: true }] }],
});

/** A container whose publisher asks for all permissions of the machine. */
const privileged = {
  name: 'io.github.ada/privileged',
  version: '1.0.0',
  packages: [
    {
      registryType: 'oci',
      identifier: 'ada/privileged',
      version: '1.0.0',
      transport: { type: 'stdio' },
      runtimeArguments: [{ type: 'named', name: '--privileged' }],
    },
  ],
};

describe('a registry', () => {
  test('a registry is searched in pages, without withdrawn entries', async () => {
    const many = Array.from({ length: 5 }, (_, at) => ({ ...weather, name: `io.github.ada/weather-${at}` }));
    const gone = { ...weather, name: 'io.github.ada/weather-gone', status: 'deleted' } as const;
    await using served = await serveRegistry([...many, gone, { ...weather, name: 'other/thing' }]);
    const registry = createRegistry(`${served.url}/`);
    const first = await registry.search({ words: 'weather', limit: 3 });
    expect(first.servers.map(({ name }) => name)).toEqual(many.slice(0, 3).map(({ name }) => name));
    const { nextCursor = '' } = first;
    const second = await registry.search({ words: 'weather', limit: 3, cursor: nextCursor });
    expect(second.servers.map(({ name }) => name)).toEqual(many.slice(3).map(({ name }) => name));
    expect(second).not.toHaveProperty('nextCursor');
    await expect(registry.get('no/such')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(registry.get('io.github.ada/weather-gone')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await registry.close();
  });

  test.each<[string, (to: ServerResponse) => void, string]>([
    ['an error', (to) => void to.writeHead(500).end(), 'answered HTTP 500'],
    ['no JSON', (to) => void to.end('<html>'), 'did not answer with JSON'],
    ['another thing', (to) => void to.end('{"servers":{}}'), 'gave no list of servers'],
    ['nothing', (to) => void to.destroy(), "can't be reached"],
  ])('a registry that answers with %s is reported as such', async (_, answer, words) => {
    await using served = await serveHttpApi({ answer: (_request, to) => answer(to) });
    const registry = createRegistry(served.url);
    await expect(registry.search()).rejects.toThrow(words);
    await registry.close();
  });

  test('a registry is not queried over plain http', () => {
    expect(() => createRegistry('http://registry.example.com')).toThrow('https');
  });
});

describe('the registry over the REST API', () => {
  test('the registry API returns an entry that becomes a server [R23]', async () => {
    await using notes = await startHttp('legacy-http');
    await using served = await serveRegistry([weather, remote(notes.url)]);
    await using api = await startApi({ servers: {}, gateway: { registry: served.url } });
    const found = await api.get('/api/registry/servers?search=notes');
    expect(found.body).toMatchObject({
      registry: served.url,
      servers: [{ name: 'io.github.ada/notes', installOptions: [{ kind: 'address', label: notes.url }] }],
    });
    const shown = await api.get(`/api/registry/servers/${encodeURIComponent(weather.name)}`);
    expect(shown.body).toMatchObject({
      installOptions: [{ label: 'npx -y @ada/weather@1.2.0', inputs: [{ key: 'KEY', isSecret: true }] }],
    });

    const plan = { name: 'io.github.ada/notes', optionIndex: 0, values: { 'X-Team': 'blue' } };
    const planned = await api.post('/api/registry/plan', plan);
    expect(planned.body).toEqual({
      name: 'notes',
      description: 'Notes',
      transport: 'http',
      url: notes.url,
      headers: { 'X-Team': 'blue' },
    });
    expect(await api.post('/api/servers', planned.body)).toMatchObject({
      status: 201,
      body: { status: { state: 'connected' } },
    });
    expect(await api.post('/api/registry/plan', { ...plan, values: {} })).toMatchObject({
      status: 400,
      body: { error: { code: 'REQUEST_INVALID', message: expect.stringContaining("'X-Team' is required") } },
    });
    expect((await api.post('/api/registry/plan', { ...plan, optionIndex: 1 })).status).toBe(404);
    expect((await api.get('/api/registry/servers/nothing')).status).toBe(404);
    const reader = await api.key(['read']);
    expect((await api.get('/api/registry/servers', { key: reader })).status).toBe(403);
  });

  test('the registry API plans a server with risky settings only if they are accepted', async () => {
    await using served = await serveRegistry([privileged]);
    await using api = await startApi({ servers: {}, gateway: { registry: served.url } });
    const { body } = await api.get(`/api/registry/servers/${encodeURIComponent(privileged.name)}`);
    expect(body.installOptions).toMatchObject([{ risks: [expect.stringContaining('--privileged')] }]);
    const plan = { name: privileged.name, optionIndex: 0 };
    for (const acceptRisks of [undefined, false])
      expect(await api.post('/api/registry/plan', { ...plan, acceptRisks })).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('Review and accept these settings first') } },
      });
    expect(await api.post('/api/registry/plan', { ...plan, acceptRisks: true })).toMatchObject({
      status: 200,
      body: { transport: 'stdio', command: 'docker', args: expect.arrayContaining(['--privileged']) },
    });
  });

  test('a published program is planned with a sandbox that learns, where sandboxes work, and a container without one', async () => {
    await using served = await serveRegistry([weather, privileged]);
    const plan = { name: weather.name, optionIndex: 0, values: { KEY: 'k' } };
    const container = { name: privileged.name, optionIndex: 0, acceptRisks: true };
    await using api = await startApi({ servers: {}, gateway: { registry: served.url } });
    const { body } = await api.post('/api/registry/plan', plan);
    expect(body.command).toBe('npx');
    expect(body.sandbox).toEqual(sandboxProblem === undefined ? { mode: 'learn' } : undefined);
    expect((await api.post('/api/registry/plan', container)).body).not.toHaveProperty('sandbox');
    await using without = await startApi({
      servers: {},
      gateway: { registry: served.url },
      features: { sandbox: false },
    });
    expect((await without.post('/api/registry/plan', plan)).body).not.toHaveProperty('sandbox');
    const env = { PATH: '/nowhere' };
    await using elsewhere = await startApi({ servers: {}, gateway: { registry: served.url } }, { env });
    expect((await elsewhere.post('/api/registry/plan', plan)).body).not.toHaveProperty('sandbox');
  });

  test('the registry API reports an unreachable registry', async () => {
    await using api = await startApi({ servers: {}, gateway: { registry: 'http://127.0.0.1:9' } });
    expect(await api.get('/api/registry/servers')).toMatchObject({
      status: 502,
      body: {
        error: { code: 'SERVER_UNREACHABLE', message: expect.stringContaining("http://127.0.0.1:9 can't be reached") },
      },
    });
  });
});

test('every route of the registry was called and answered according to its schema', () => {
  expect(unasked(({ group }) => group === 'registry')).toEqual([]);
});

describe('toolwharf registry', () => {
  test('toolwharf registry searches, shows and adds servers [R23]', async () => {
    await using notes = await startHttp('legacy-http');
    await using served = await serveRegistry([weather, remote(notes.url)]);
    await using dir = await tempDir();
    const cli = cliIn(dir);
    const data = join(dir.path, 'data');
    const config = await cli.config({ servers: {}, gateway: { registry: served.url } });
    await using gateway = await startGatewayHere(cli, data, ['-c', config]);
    const ask = (...args: string[]) => cli.run(['-c', config, '--data-dir', data, 'registry', ...args]);
    const found = await ask('search', 'ada');
    expect(found.stdout).toMatch(
      /^NAME +VERSION +RUNS AS +DESCRIPTION\nio\.github\.ada\/weather +1\.2\.0 +npx +Weather of the world\n/,
    );
    // Without the configuration file: the registry is that of the running gateway.
    const elsewhere = await cli.run(['--data-dir', data, 'registry', 'search', 'ada']);
    expect(elsewhere).toMatchObject({ source: `Using the gateway at ${gateway.url}`, stdout: found.stdout });
    const own = await ask('search', 'ada', '--local');
    expect(own).toMatchObject({ source: `Using the registry ${served.url} without a gateway`, stdout: found.stdout });
    expect((await ask('search', 'nothing')).stderr).toContain("No server in the registry has 'nothing' in its name");
    expect((await ask('show', weather.name)).stdout).toContain('1  npx -y @ada/weather@1.2.0\n   KEY  (required)');
    expect((await ask('show', 'no/such')).code).not.toBe(0);
    expect(await ask('--registry', 'http://127.0.0.1:9', 'search')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Check the network, or choose another registry with --registry'),
    });

    const name = 'io.github.ada/notes';
    expect(await ask('add', name, '--set', 'X-Team=blue')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`The gateway will connect to: ${notes.url}`),
    });
    expect((await ask('add', name, '--yes')).stderr).toContain("'X-Team' is required");
    expect(await ask('add', name, '--yes', '--set', 'X-Team=blue', '--as', 'mine')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Added: mine {2}connected, \d+ tools\n$/),
    });
    expect((await gateway.api('GET', '/api/servers/mine')).body).toMatchObject({ description: 'Notes' });
  });

  test('toolwharf registry adds a server with risky settings only with --accept-risks', async () => {
    await using served = await serveRegistry([privileged]);
    await using dir = await tempDir();
    const cli = cliIn(dir);
    const data = join(dir.path, 'data');
    const config = await cli.config({ servers: {}, gateway: { registry: served.url, allowPrograms: true } });
    await using gateway = await startGatewayHere(cli, data, ['-c', config]);
    const add = (...args: string[]) =>
      cli.run(['-c', config, '--data-dir', data, 'registry', 'add', privileged.name, ...args]);
    const refused = await add('--yes');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Warning: The runtime argument --privileged can change what docker runs');
    expect(refused.stderr).toContain('review what it runs, then use --yes --accept-risks');
    expect((await gateway.api('GET', '/api/servers/privileged')).status).toBe(404);
    expect(await add('--yes', '--accept-risks')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Added: privileged {2}/),
    });
    expect((await gateway.api('GET', '/api/servers/privileged')).status).toBe(200);
  });
});
