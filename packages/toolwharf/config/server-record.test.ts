import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { serverDefaults } from '../../contract/settings/defaults.ts';
import { serverShape } from '../../contract/settings/server-schema.ts';
import { parseConfig } from './load-config.ts';
import { newServerRecordSchema, serverRecordSchema, toNativeServer, toServerSpec } from './server-record.ts';

const fixture = new URL('../../../test/fixtures/config/seed-001-record.json', import.meta.url);
const record = JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, unknown>;
const times = { id: record.id, createdAt: record.createdAt, updatedAt: record.updatedAt };
const stdio = { ...times, name: 'local', transport: 'stdio', command: 'npx' };

function issues(value: unknown): string[] {
  const result = serverRecordSchema.safeParse(value);
  return result.success ? [] : result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

describe('a server record', () => {
  test('a server record from the specification is accepted and completed with defaults [R1]', () => {
    expect(serverRecordSchema.parse(record)).toEqual({
      ...record,
      authentication: { type: 'api-key', key: '${SEARCH_KEY}', header: 'x-api-key' },
      timeout: 30_000,
      retryAttempts: 3,
      allowInsecure: false,
    });
  });

  test('a server record has no authentication by default [R3]', () => {
    expect(serverRecordSchema.parse(stdio).authentication).toEqual({ type: 'none' });
  });

  test.each([
    { type: 'none' },
    { type: 'bearer', token: 't' },
    { type: 'api-key', key: 'k', header: 'X-Key' },
    { type: 'basic', username: 'u', password: 'p' },
    { type: 'oauth' },
    { type: 'oauth', clientId: 'c', clientSecret: 's', scope: 'a b', redirectUrl: 'http://localhost:1/cb' },
  ])('a server record accepts authentication of type $type [R3]', (authentication) => {
    expect(serverRecordSchema.parse({ ...record, authentication }).authentication).toEqual(authentication);
  });

  test.each([
    ['an empty name', { ...record, name: '' }, /^name: .*1 to 100/],
    ['a name of 101 characters', { ...record, name: 'x'.repeat(101) }, /^name: .*1 to 100/],
    ['an id that is not a UUID', { ...record, id: '1' }, /^id: must be a UUID/],
    ['a timeout under a second', { ...record, timeout: 999 }, /^timeout: must be from 1 s to 300 s/],
    ['a timeout over 300 s', { ...record, timeout: 300_001 }, /^timeout: must be from 1 s to 300 s/],
    ['six retries', { ...record, retryAttempts: 6 }, /^retryAttempts: .*0 to 5/],
    ['a fractional number of retries', { ...record, retryAttempts: 0.5 }, /^retryAttempts: .*0 to 5/],
    ['an unknown transport', { ...record, transport: 'ws' }, /^transport: /],
    ['an unknown key', { ...record, extra: 1 }, /extra/],
    ['an invalid date', { ...record, createdAt: 'yesterday' }, /^createdAt: /],
    ['http without a url', { ...record, url: undefined }, /^url: .*needs 'url' for transport 'http'/],
    ['http with a command', { ...record, command: 'npx' }, /^command: belongs to a server with 'command'/],
    ['stdio without a command', { ...stdio, command: undefined }, /^command: .*needs 'command' for transport 'stdio'/],
    ['stdio with a url', { ...stdio, url: 'https://x.y' }, /^url: belongs to a server with 'url'/],
    [
      'stdio with authentication',
      { ...stdio, authentication: { type: 'bearer', token: 't' } },
      /^authentication: belongs to a server with 'url'/,
    ],
    ['a malformed url', { ...record, url: 'nope' }, /^url: must be a URL/],
    ['a password in the url', { ...record, url: 'https://a:b@x.y' }, /^url: must not carry/],
    ['plain http to another machine', { ...record, url: 'http://example.com/mcp' }, /^url: plain http/],
    ['a header with a line break', { ...record, headers: { a: 'x\r\ny: z' } }, /^headers\.a: /],
    ['a variable name with =', { ...stdio, env: { 'A=B': 'x' } }, /env/],
    ['a NUL in an argument', { ...stdio, args: ['a\0b'] }, /^args\.0: /],
    ['an unknown authentication', { ...record, authentication: { type: 'magic' } }, /^authentication\.type: /],
    ['bearer without a token', { ...record, authentication: { type: 'bearer' } }, /^authentication\.token: /],
  ])('a server record rejects %s [R1]', (_, value, message) => {
    expect(issues(value).join('\n')).toMatch(message);
  });

  test('a server record allows plain http to another machine only when configured to [R19]', () => {
    expect(issues({ ...record, url: 'http://example.com/mcp', allowInsecure: true })).toEqual([]);
    expect(issues({ ...record, url: 'http://127.0.0.1:3000/mcp' })).toEqual([]);
  });

  test('a server record needs no id and no dates when it is new [R1]', () => {
    expect(newServerRecordSchema.parse({ name: 'a', transport: 'stdio', command: 'npx' })).toMatchObject({
      enabled: true,
    });
    expect(newServerRecordSchema.safeParse({ name: 'a', transport: 'stdio' }).success).toBe(false);
  });

  test('a server record accepts every key of the configuration file and becomes the same server', () => {
    const server = {
      url: 'https://tools.example.com/mcp',
      transport: 'sse',
      headers: { 'x-team': 'a' },
      authentication: { type: 'bearer', token: 't' },
      allowInsecure: true,
      description: 'd',
      enabled: false,
      required: true,
      trusted: true,
      protocol: 'legacy',
      isolation: 'session',
      lifecycle: 'lazy',
      idleAfter: '5m',
      roots: ['/srv/notes'],
      validation: 'off',
      timeout: '60s',
      installTimeout: '2m',
      maxTimeout: '1h',
      cancelGrace: '10s',
      questionHold: '20s',
      retryAttempts: 1,
      mode: 'strict',
      defaultToolConfig: { maxInstances: 2, timeout: '5s' },
      allow: ['read_*'],
      deny: ['write_*'],
      onChange: 'quarantine',
      rate: { calls: 10, per: '1m' },
      prompts: ['p'],
    };
    const personal = { env: { A: '${account:a}' }, credentials: 'per-user', maxAccountConnections: 2 };
    const program = {
      command: 'npx',
      args: ['-y'],
      env: { A: 'b' },
      cwd: '/tmp',
      inheritEnv: false,
      placement: 'single',
      sandbox: { mode: 'enforce', write: ['/srv/notes'], network: ['api.example.com'], cpu: '5m' },
      openapi: undefined,
    };
    const keys = new Set([...Object.keys(server), ...Object.keys(program), ...Object.keys(personal), 'endpoints']);
    expect([...keys].sort()).toEqual(Object.keys(serverShape).sort());
    const single = { ...program, timeout: 1000, rate: server.rate };
    for (const written of [server, single, { command: 'npx', ...personal }]) {
      const record = newServerRecordSchema.parse({ name: 'a', ...written });
      const { config } = parseConfig({ servers: { a: written } }, { env: {} });
      expect(toServerSpec(record)).toEqual(config.servers[0]);
      expect(parseConfig({ servers: { a: toNativeServer(record) } }, { env: {} }).config).toEqual(config);
    }
  });

  test('a server record infers its transport when none is given', () => {
    const url = 'https://tools.example.com';
    const transportOf = (server: object) => newServerRecordSchema.parse({ name: 'a', ...server }).transport;
    expect(transportOf({ command: 'npx' })).toBe('stdio');
    expect(transportOf({ url })).toBe('auto');
    expect(transportOf({ url, openapi: 'https://tools.example.com/openapi.json' })).toBe('api');
  });

  test('a server record from the previous version, which had fewer keys, is accepted', () => {
    const previous = {
      id: '6a4d1d1e-6f0b-4a8e-9a53-0c9ce0c6a111',
      name: 'files',
      transport: 'stdio',
      command: 'npx',
      args: ['-y', 'server'],
      env: {},
      allowInsecure: false,
      authentication: { type: 'none' },
      timeout: 30_000,
      retryAttempts: 3,
      enabled: true,
      lastConnectedAt: '2026-01-01T00:00:00.000Z',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    };
    const record = serverRecordSchema.parse(previous);
    expect(record).toEqual(previous);
    const { config } = parseConfig({ servers: { files: toNativeServer(record) } }, { env: {} });
    expect(config.servers).toEqual([toServerSpec(record)]);
  });

  test('a server record becomes a server [R1]', () => {
    expect(toServerSpec(serverRecordSchema.parse({ ...record, timeout: 60_000 }))).toEqual({
      ...serverDefaults,
      name: 'Company search',
      description: "Searches the company's documents",
      target: {
        transport: 'http',
        url: 'https://search.example.com/mcp',
        headers: { 'x-team': 'research' },
        authentication: { type: 'api-key', key: '${SEARCH_KEY}', header: 'x-api-key' },
        allowInsecure: false,
      },
      timeoutMs: 60_000,
      defaultTool: { maxInstances: 64, timeoutMs: 60_000 },
    });
    expect(toServerSpec(serverRecordSchema.parse({ ...stdio, cwd: '/tmp' })).target).toEqual({
      transport: 'stdio',
      command: 'npx',
      args: [],
      env: {},
      cwd: '/tmp',
    });
  });
});
