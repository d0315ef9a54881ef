import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limitDefaults } from '../../contract/settings/defaults.ts';
import { createLog, type LogEntry } from '../kernel/log.ts';
import { findConfigFile, loadConfig, parseConfig, parseConfigText } from './load-config.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-load-'));
});
afterEach(() => rm(directory, { recursive: true }));

const env = {};

describe('the native dialect', () => {
  test('the native dialect fills in every default [A4]', () => {
    const { config, warnings } = parseConfig(
      { servers: { a: { command: 'npx' }, b: { url: 'https://x.y/mcp' } } },
      { env },
    );
    const common = {
      enabled: true,
      required: false,
      protocol: 'auto',
      isolation: 'shared',
      credentials: 'shared',
      maxAccountConnections: 64,
      placement: 'everywhere',
      lifecycle: 'eager',
      idleAfterMs: 600_000,
      validation: 'strict',
      trusted: false,
      timeoutMs: 30_000,
      installTimeoutMs: 300_000,
      maxTimeoutMs: 600_000,
      cancelGraceMs: 20_000,
      questionHoldMs: 15_000,
      retryAttempts: 3,
      mode: 'dynamic',
      defaultTool: { maxInstances: 64, timeoutMs: 30_000 },
      onChange: 'ask',
    };
    expect(config).toEqual({
      servers: [
        { name: 'a', ...common, target: { transport: 'stdio', command: 'npx', args: [], env: {} } },
        {
          name: 'b',
          ...common,
          target: {
            transport: 'auto',
            url: 'https://x.y/mcp',
            headers: {},
            authentication: { type: 'none' },
            allowInsecure: false,
          },
        },
      ],
      toolbox: {
        maxConcurrent: 256,
        maxQueued: 1000,
        maxStarting: 4,
        naming: 'mcp',
        maxResultBytes: 10_485_760,
        newTools: 'show',
        secretResults: [],
        secretCommands: { timeoutMs: 10_000, cacheMs: 0 },
        approval: {
          mode: 'auto',
          trustedTools: [],
          ask: [],
          deny: [],
          expiresMs: 600_000,
          approvers: 'admins',
          reads: 'allow',
        },
        tools: [],
        defaultTool: { maxInstances: 64, timeoutMs: 30_000 },
        chains: [],
        localToolsMustBeConfigured: false,
      },
      localTools: [],
      skills: [],
      plugins: [],
      profiles: [
        {
          name: 'default',
          builtIn: true,
          naming: 'server__tool',
          expose: 'all',
          exposeBudget: 10_000,
          newTools: 'show',
          approval: {
            mode: 'auto',
            trustedTools: [],
            ask: [],
            deny: [],
            expiresMs: 600_000,
            approvers: 'admins',
            reads: 'allow',
          },
        },
      ],
      gateway: {
        host: '127.0.0.1',
        port: 7420,
        allowedHosts: [],
        allowedOrigins: [],
        requireAuthentication: false,
        registry: 'https://registry.modelcontextprotocol.io',
        retention: { maxAgeMs: 90 * 86_400_000, maxCalls: 1_000_000 },
        trustedProxies: [],
        limits: limitDefaults,
        apps: { enabled: true, domains: [] },
        sandbox: { default: 'off' },
        newServers: 'start',
        publishServers: false,
        listWaitMs: 3_000,
        questionTimeoutMs: 300_000,
        shutdownMs: 10_000,
        leaseMs: 30_000,
      },
      dialect: 'native',
      features: {},
    });
    expect(warnings).toEqual([]);
  });

  test('the native dialect accepts every key in camelCase [A4]', async () => {
    const file = join(directory, 'toolwharf.yaml');
    await writeFile(
      file,
      `
$schema: ./node_modules/toolwharf/schema/toolwharf.schema.json
servers:
  program:
    command: npx
    args: [-y, some-server]
    env: { TOKEN: "\${TOKEN}" }
    cwd: /tmp
    transport: stdio
    description: A program
    enabled: false
    required: true
    trusted: true
    protocol: legacy
    isolation: session
    roots: [/srv/my notes, 'file:///work']
    placement: single
    lifecycle: lazy
    idleAfter: 5m
    validation: coerce
    timeout: 2m
    maxTimeout: 1h
    retryAttempts: 0
    mode: strict
    defaultToolConfig: { maxInstances: 2, timeout: PT5S }
    allow: [read_*]
    deny: [read_secret]
    onChange: quarantine
    rate: { calls: 10, per: 1m }
    prompts: [greet]
  remote:
    url: https://example.com/mcp
    transport: streamable_http
    headers: { X-Team: "\${TEAM:-none}" }
    authentication: { type: api-key, key: "\${KEY}" }
    timeout: 5000
toolbox:
  maxConcurrent: 10
  maxQueued: 0
  naming: server__tool
  maxResultBytes: 1000
  approval: { mode: trusted-only, trustedTools: [a*], ask: [b], deny: [c], expires: 1h }
  tools:
    - { name: read_file, server: program, maxInstances: 1, timeout: 1s, mode: strict }
    - { name: write_file }
`,
    );
    const { config, file: loaded } = await loadConfig(file, { env });
    expect(loaded).toBe(file);
    expect(config.servers[0]).toEqual({
      name: 'program',
      description: 'A program',
      enabled: false,
      required: true,
      target: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'some-server'],
        env: { TOKEN: '${TOKEN}' },
        cwd: '/tmp',
      },
      protocol: 'legacy',
      isolation: 'session',
      credentials: 'shared',
      maxAccountConnections: 64,
      roots: [
        { uri: 'file:///srv/my%20notes', name: 'my notes' },
        { uri: 'file:///work', name: 'work' },
      ],
      placement: 'single',
      lifecycle: 'lazy',
      idleAfterMs: 300_000,
      validation: 'coerce',
      trusted: true,
      timeoutMs: 120_000,
      installTimeoutMs: 300_000,
      maxTimeoutMs: 3_600_000,
      cancelGraceMs: 20_000,
      questionHoldMs: 15_000,
      retryAttempts: 0,
      mode: 'strict',
      defaultTool: { maxInstances: 2, timeoutMs: 5000 },
      allow: ['read_*'],
      deny: ['read_secret'],
      onChange: 'quarantine',
      rate: { calls: 10, perMs: 60_000 },
      prompts: ['greet'],
    });
    expect(config.servers[1]).toMatchObject({
      target: {
        transport: 'http',
        headers: { 'X-Team': '${TEAM:-none}' },
        authentication: { type: 'api-key', key: '${KEY}', header: 'x-api-key' },
      },
      timeoutMs: 5000,
      defaultTool: { timeoutMs: 5000 },
    });
    expect(config.toolbox).toMatchObject({
      maxConcurrent: 10,
      maxQueued: 0,
      naming: 'server__tool',
      maxResultBytes: 1000,
      approval: {
        mode: 'trusted-only',
        trustedTools: ['a*'],
        ask: ['b'],
        deny: ['c'],
        expiresMs: 3_600_000,
        approvers: 'admins',
        reads: 'allow',
      },
    });
    expect(config.toolbox.tools).toEqual([
      { name: 'read_file', server: 'program', maxInstances: 1, timeoutMs: 1000, mode: 'strict' },
      { name: 'write_file' },
    ]);
  });

  test('the native dialect accepts every key in snake_case, at every depth', () => {
    const camel = parseConfig(
      {
        servers: {
          a: { command: 'x', retryAttempts: 1, onChange: 'allow', defaultToolConfig: { maxInstances: 3 } },
          b: { url: 'http://x.y', allowInsecure: true, authentication: { type: 'oauth', clientId: 'c' } },
        },
        toolbox: { maxResultBytes: 5, approval: { trustedTools: ['x'] }, tools: { t: { maxInstances: 4 } } },
      },
      { env },
    );
    const snake = parseConfig(
      {
        servers: {
          a: { command: 'x', retry_attempts: 1, on_change: 'allow', default_tool_config: { max_instances: 3 } },
          b: { url: 'http://x.y', allow_insecure: true, authentication: { type: 'oauth', client_id: 'c' } },
        },
        toolbox: { max_result_bytes: 5, approval: { trusted_tools: ['x'] }, tools: { t: { max_instances: 4 } } },
      },
      { env },
    );
    expect(snake).toEqual(camel);
  });

  test('the native dialect accepts tools as a list or as a map by name', () => {
    const list = parseConfig({ toolbox: { tools: [{ name: 'a', timeout: '1s' }, { name: 'b' }] } }, { env });
    const map = parseConfig({ toolbox: { tools: { a: { timeout: '1s' }, b: null } } }, { env });
    expect(map).toEqual(list);
  });

  test('the native dialect accepts an empty map as a configuration without servers, and ignores keys without a value', () => {
    expect(parseConfig({}, { env }).config.servers).toEqual([]);
    expect(parseConfigText('servers:\ntoolbox:\n', 'toolwharf.yaml', { env }).config.servers).toEqual([]);
  });

  test('the native dialect resolves a URL that is exactly ${VAR} while loading', () => {
    const servers = { a: { url: '${MCP_URL}' }, b: { url: '${OTHER:-https://b.example.com/mcp}' } };
    const { config } = parseConfig({ servers }, { env: { MCP_URL: 'https://a.example.com/mcp' } });
    expect(config.servers.map(({ target }) => 'url' in target && target.url)).toEqual([
      'https://a.example.com/mcp',
      'https://b.example.com/mcp',
    ]);
  });

  test('the native dialect accepts plain http on this machine, and elsewhere only when allowed [R19]', () => {
    const load = (server: object) => parseConfig({ servers: { a: server } }, { env });
    expect(load({ url: 'http://127.0.0.1:8080/mcp' }).warnings).toEqual([]);
    expect(load({ url: 'http://example.com/mcp', allowInsecure: true }).config.servers[0]?.target).toMatchObject({
      allowInsecure: true,
    });
    expect(() => load({ url: 'http://example.com/mcp' })).toThrow(/plain http to another machine/);
    expect(load({ url: 'http://example.com/mcp', enabled: false }).warnings).toEqual([
      expect.stringMatching(/^Server 'a' will not be connected.*plain http/),
    ]);
  });

  test('the native dialect warns about a tool of an unknown server and about a key in a URL', () => {
    const entries: LogEntry[] = [];
    const { warnings } = parseConfig(
      {
        servers: { github: { url: 'https://example.com/mcp?apiKey=hidden' } },
        toolbox: { tools: [{ name: 'x', server: 'githib' }] },
      },
      { env, log: createLog((entry) => entries.push(entry)) },
    );
    expect(warnings).toEqual([
      expect.stringMatching(/'github' carries 'apiKey' in its query/),
      expect.stringMatching(/server 'githib'.*did you mean 'github'/),
    ]);
    expect(warnings.join()).not.toContain('hidden');
    expect(entries.map(({ level, message }) => ({ level, message }))).toEqual(
      warnings.map((message) => ({ level: 'warning', message })),
    );
  });
});

describe('configuration precedence', () => {
  test('configuration precedence is defaults < file < environment < command line', async () => {
    const file = join(directory, 'toolwharf.yaml');
    await writeFile(file, 'toolbox: {maxConcurrent: 1, maxQueued: 1, maxResultBytes: 1}\n');
    const { config } = await loadConfig(file, {
      env: { TOOLWHARF__TOOLBOX__MAX_CONCURRENT: '2', TOOLWHARF__TOOLBOX__MAX_QUEUED: '2' },
      overrides: { toolbox: { maxConcurrent: 3 } },
    });
    expect(config.toolbox).toMatchObject({ maxConcurrent: 3, maxQueued: 2, maxResultBytes: 1, naming: 'mcp' });
  });

  test('configuration precedence lets the command line change parts of servers in any dialect, and add a server', () => {
    const overrides = {
      servers: { github: { enabled: false }, extra: { command: 'x' } },
      toolbox: { naming: 'plain' },
    };
    const { config } = parseConfig({ mcp_servers: { github: { command: 'uvx' } } }, { env, overrides });
    expect(config.dialect).toBe('squidbot');
    expect(config.servers.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['github', false],
      ['extra', true],
    ]);
    expect(config.toolbox.naming).toBe('plain');
  });

  test('configuration precedence names the command line as the source of its invalid values', () => {
    expect(() => parseConfig({}, { env, overrides: { toolbox: { naming: 'fancy' } } })).toThrow(
      /command line {2}toolbox\.naming {2}unknown value, found "fancy"; allowed: mcp, server__tool, plain/,
    );
  });

  test('configuration precedence uses the environment of the process unless another is passed', () => {
    process.env.TOOLWHARF__TOOLBOX__MAX_QUEUED = '7';
    try {
      expect(parseConfig({}).config.toolbox.maxQueued).toBe(7);
    } finally {
      delete process.env.TOOLWHARF__TOOLBOX__MAX_QUEUED;
    }
  });

  test('configuration precedence leaves the input unchanged', () => {
    const input = { servers: { a: { command: 'x' } }, toolbox: { maxQueued: 1 } };
    const before = structuredClone(input);
    parseConfig(input, { env: { TOOLWHARF__TOOLBOX__MAX_QUEUED: '2' }, overrides: { servers: { a: { cwd: '/' } } } });
    expect(input).toEqual(before);
  });
});

describe('findConfigFile', () => {
  test('findConfigFile returns undefined when there is no file', async () => {
    await expect(findConfigFile(directory)).resolves.toBeUndefined();
  });

  test.each(['toolwharf.yaml', 'toolwharf.yml', 'toolwharf.json'])('findConfigFile finds %s', async (name) => {
    await writeFile(join(directory, name), '{}');
    await expect(findConfigFile(directory)).resolves.toBe(join(directory, name));
  });

  test('findConfigFile rejects two files instead of choosing one', async () => {
    await writeFile(join(directory, 'toolwharf.yaml'), '{}');
    await writeFile(join(directory, 'toolwharf.json'), '{}');
    await expect(findConfigFile(directory)).rejects.toThrow(/keep one.*toolwharf\.yaml.*toolwharf\.json/);
  });
});
