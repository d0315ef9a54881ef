import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { importClientConfig } from '../../packages/toolwharf/config/import-client-config.ts';
import { loadConfig, parseConfig } from '../../packages/toolwharf/config/load-config.ts';
import { collectLog, tempDir } from '../support/fixtures.ts';

const path = (name: string) => fileURLToPath(new URL(`../fixtures/config/programs/${name}`, import.meta.url));

async function load(file: string) {
  const { log, entries } = collectLog();
  const { config } = await loadConfig(file, { env: {}, log });
  return { config, lines: entries.map(({ level, message }) => `${level}: ${message}`) };
}

describe('the whole configuration file of a source program loads, and its other keys are named once [O2]', () => {
  test('squidbot', async () => {
    const { config, lines } = await load(path('squidbot.json'));
    expect(config).toMatchObject({
      dialect: 'squidbot',
      servers: [{ name: 'm', target: { command: 'npx' } }],
      skills: [],
    });
    expect(lines).toEqual([
      'info: Keys of another program are ignored: tools.shell, tools.files, tools.web_search, tools.spawn, llm, agents, channels, skills',
    ]);
  });

  test('the GPT platform, with its servers as records', async () => {
    const { config, lines } = await load(path('gpt-platform.json'));
    expect(config.servers).toMatchObject([
      {
        name: 'GitHub (work)',
        description: 'Issues and pull requests',
        timeoutMs: 45_000,
        retryAttempts: 2,
        target: { transport: 'http', authentication: { type: 'bearer', token: '${GITHUB_TOKEN}' } },
      },
      { name: 'files', enabled: false, target: { transport: 'stdio', command: 'npx' } },
    ]);
    expect(lines).toEqual([
      'info: Keys of another program are ignored: version, exportedAt, settings, providers, plugins, profiles, gpts, conversations, mcpToolCalls',
    ]);
  });

  test('the GPT platform without servers, or with two servers of one name', async () => {
    expect(parseConfig({ version: 3, mcpServers: [], gpts: [] }, { env: {} }).config.servers).toEqual([]);
    const record = (id: string, url: string) => ({ id, name: 'Docs', transport: 'http', url });
    const mcpServers = [record('1', 'https://one.example.com/mcp'), record('2', 'https://two.example.com/mcp')];
    const { config, warnings } = parseConfig({ mcpServers, gpts: [] }, { env: {} });
    expect(config.servers).toMatchObject([
      { name: 'Docs', target: { url: 'https://one.example.com/mcp' } },
      { name: 'Docs (2)', target: { url: 'https://two.example.com/mcp' } },
    ]);
    expect(warnings).toEqual(["Another server is named 'Docs': mcpServers[1] is called 'Docs (2)' here"]);
  });

  test('a Spring application with several documents', async () => {
    const { config, lines } = await load(path('application.yml'));
    expect(config).toMatchObject({
      dialect: 'myai',
      servers: [
        {
          name: 'customers',
          required: true,
          mode: 'dynamic',
          target: { url: expect.stringContaining('localhost:8180') },
        },
        { name: 'external-api', mode: 'strict' },
      ],
      toolbox: { maxConcurrent: 10, tools: [{ name: 'sum_numbers' }, { name: 'get_customer', maxInstances: 50 }] },
    });
    expect(lines).toEqual([
      'info: Keys of another program are ignored: myai.model, myai.memory, spring, server, management, logging, profiles',
    ]);
  });

  test('HYVVE, with its servers at the top level or under mcp', async () => {
    const { config, lines } = await load(path('hyvve.yaml'));
    expect(config).toMatchObject({
      dialect: 'bridge',
      servers: [
        { name: 'github', timeoutMs: 30_000, retryAttempts: 3 },
        { name: 'brave', enabled: false },
      ],
    });
    expect(lines).toEqual([
      'info: Keys of another program are ignored: environment, database, redis, agents, gateway, telemetry',
    ]);
    const nested = { mcp: { servers: { a: { command: 'x' } }, default_timeout: 60, cache: true }, agents: {} };
    const { config: other, notes } = parseConfig(nested, { env: {} });
    expect(other.servers).toMatchObject([{ name: 'a', timeoutMs: 60_000 }]);
    expect(notes).toEqual(['Keys of another program are ignored: mcp.cache, agents']);
  });

  test('a list of tools beside `mcp_servers` is named among the ignored keys [O2]', () => {
    const { notes } = parseConfig({ mcp_servers: { a: { command: 'x' } }, tools: [{ name: 'b' }] }, { env: {} });
    expect(notes).toEqual(['Keys of another program are ignored: tools']);
  });

  test.each(['squidbot.json', 'gpt-platform.json', 'application.yml', 'hyvve.yaml'])(
    '%s can be imported',
    async (name) => {
      const { config } = await load(path(name));
      const { servers } = await importClientConfig(path(name), { env: {} });
      expect(servers.map((server) => server.name)).toEqual(config.servers.map((server) => server.name));
    },
  );
});

describe("misspelt keys of Toolwharf's own stay errors [O2]", () => {
  const servers = { a: { command: 'x' } };
  test.each([
    [{ servers, gatway: null }, /gatway {2}unknown key.*did you mean 'gateway'/],
    [{ servers: { a: { command: 'x', timout: null } } }, /servers\.a\.timout {2}unknown key/],
    [{ servers, tools: [{ name: 'x' }] }, /tools {2}has no effect here: move it under 'toolbox'/],
    [{ myai: { toolbox: {} }, tools: [] }, /tools {2}has no effect here: move it under 'myai\.toolbox'/],
    [{ mcp_servers: servers, skills: { extra_dirs: [] }, toolbx: { maxQueued: 1 } }, /toolbx {2}unknown key/],
    [{ mcp_servers: servers, gateway: { portt: 1 } }, /gateway\.portt {2}unknown key/],
    [{ servers, skills: { extra_dirs: [] } }, /skills {2}must be the path of a folder/],
  ])('%j', (document, message) => {
    expect(() => parseConfig(document, { env: {} })).toThrow(message);
  });

  test('two documents of one file are an error that says so, unless a Spring application has them', async () => {
    await using directory = await tempDir();
    const file = directory.file('two.yaml');
    await writeFile(file, 'servers: {}\n---\nservers: {}\n');
    await expect(loadConfig(file, { env: {} })).rejects.toThrow('more than one document');
    await writeFile(file, 'myai: { toolbox: {} }\n---\nmyai: { toolbox: {} }\n');
    await expect(loadConfig(file, { env: {} })).rejects.toThrow('more than one document');
    await writeFile(file, 'server: {}\n---\nmyai:\n  toolbox:\n    max_concurent: 1\n');
    await expect(loadConfig(file, { env: {} })).rejects.toThrow(/two\.yaml:5:5 .*did you mean 'max_concurrent'/);
  });
});
