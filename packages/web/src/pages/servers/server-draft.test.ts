import { describe, expect, test } from 'vitest';
import type { ServerRecord } from '../../api/client.ts';
import { toEndpointDraft } from './endpoints/endpoint-draft.ts';
import {
  authenticationType,
  endsSignIns,
  findDuplicates,
  hasProblems,
  newLine,
  toDraft,
  toInput,
} from './server-draft.ts';

const stored: ServerRecord = {
  id: '5a3c1c2e-0d2b-4f4e-9d57-1f2d3c4b5a69',
  name: 'guarded',
  transport: 'http',
  url: 'https://tools.example.com/mcp?…',
  headers: { 'x-team': { set: true } },
  allowInsecure: false,
  authentication: { type: 'api-key', key: { set: true }, header: 'x-key' },
  timeout: 5_000,
  retryAttempts: 0,
  enabled: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

describe('the request of the form', () => {
  test('an unchanged form keeps every stored secret [R10, R17]', () => {
    expect(toInput(toDraft(stored))).toEqual({
      name: 'guarded',
      transport: 'http',
      url: stored.url,
      headers: { 'x-team': { set: true } },
      allowInsecure: false,
      authentication: { type: 'api-key', key: { set: true }, header: 'x-key' },
      timeout: 5_000,
      retryAttempts: 0,
      enabled: false,
    });
  });

  test('the request keeps settings that the form does not show', () => {
    const kept = { deny: ['delete_*'], trusted: true, rate: { calls: 5, per: 1_000 } };
    const advanced = { isolation: 'session', validation: 'coerce', maxTimeout: 60_000, roots: ['/a', '/b'] } as const;
    expect(toInput(toDraft({ ...stored, ...kept, ...advanced, inheritEnv: true }))).toMatchObject({
      ...kept,
      ...advanced,
    });
    expect(toInput(toDraft({ ...stored, inheritEnv: true }))).not.toHaveProperty('inheritEnv');
    expect(toInput({ ...toDraft({ ...stored, inheritEnv: true }), transport: 'stdio' }).inheritEnv).toBe(true);
  });

  test('the request has only the values of the selected transport', () => {
    const both = { ...toDraft(stored), command: ' npx ', args: [newLine('', '-y')], env: [newLine('KEY', 'k')] };
    const program = toInput({ ...both, transport: 'stdio' });
    expect(program).toMatchObject({ transport: 'stdio', command: 'npx', args: ['-y'], env: { KEY: 'k' } });
    for (const key of ['url', 'headers', 'authentication', 'allowInsecure']) expect(program).not.toHaveProperty(key);
    for (const key of ['command', 'args', 'env', 'cwd']) expect(toInput(both)).not.toHaveProperty(key);
  });

  test('the request leaves out empty values', () => {
    const input = toInput(toDraft());
    expect(input).toEqual({
      name: '',
      transport: 'auto',
      headers: {},
      authentication: { type: 'none' },
    });
    const unset = toInput({
      ...toDraft(),
      settings: { timeout: ' ', rate: { calls: '' } },
      headers: [newLine(), newLine('', 'lost')],
    });
    for (const key of ['timeout', 'rate']) expect(unset).not.toHaveProperty(key);
    const typed = { timeout: '1000', retryAttempts: '2', maxTimeout: '5m', rate: { calls: ' 3 ', per: '1m' } };
    expect(toInput({ ...toDraft(), settings: typed })).toMatchObject({
      ...{ timeout: 1_000, retryAttempts: 2, maxTimeout: '5m', rate: { calls: 3, per: '1m' } },
    });
    expect(unset.headers).toEqual({ '': 'lost' });
  });

  test('only an API sends a document and endpoints [R21]', () => {
    const endpoints = [{ name: 'get_user', method: 'GET', path: '/users/{id}' } as const];
    const openapi = 'https://api.example.com/openapi.json?…';
    const described = { ...stored, transport: 'api', openapi, endpoints } as const;
    expect(toInput(toDraft(described))).toMatchObject({ transport: 'api', url: stored.url, openapi, endpoints });
    for (const transport of ['http', 'stdio'] as const) {
      const other = toInput({ ...toDraft(described), transport });
      for (const key of ['openapi', 'endpoints']) expect(other).not.toHaveProperty(key);
    }
    expect(toInput({ ...toDraft(described), endpoints: [] })).not.toHaveProperty('endpoints');
    expect(toInput({ ...toDraft(described), openapi: ' ' })).not.toHaveProperty('openapi');
    expect(toInput({ ...toDraft(), transport: 'api' }).endpoints).toEqual([]);
  });

  test('an API has no OAuth, and another transport restores it [R21]', () => {
    const draft = { ...toDraft(stored), authentication: { ...toDraft().authentication, type: 'oauth' as const } };
    const asApi = { ...draft, transport: 'api' as const };
    expect(toInput(asApi).authentication).toEqual({ type: 'none' });
    expect(authenticationType(asApi)).toBe('none');
    expect(authenticationType({ ...asApi, transport: 'sse' })).toBe('oauth');
  });

  test('the request has only the values of the selected authentication', () => {
    const { authentication } = toDraft();
    const filled = {
      ...authentication,
      token: 't',
      username: 'u',
      password: 'p',
      clientId: 'c',
      clientSecret: { set: true } as const,
    };
    const sent = (type: typeof filled.type) =>
      toInput({ ...toDraft(), authentication: { ...filled, type } }).authentication;
    expect(sent('bearer')).toEqual({ type: 'bearer', token: 't' });
    expect(sent('basic')).toEqual({ type: 'basic', username: 'u', password: 'p' });
    expect(sent('oauth')).toEqual({ type: 'oauth', clientId: 'c', clientSecret: { set: true } });
    expect(sent('api-key')).toEqual({ type: 'api-key', key: '', header: 'x-api-key' });
  });
});

test('duplicate names are found, and empty names are ignored', () => {
  const lines = [newLine('a'), newLine('b'), newLine('a'), newLine(), newLine(), newLine('__proto__')];
  expect([...findDuplicates(lines)]).toEqual(['a']);
});

test('duplicate names and broken schemas block the request', () => {
  const twice = [newLine('a'), newLine('a')];
  const draft = toDraft(stored);
  expect(hasProblems(draft)).toBe(false);
  expect(hasProblems({ ...draft, headers: twice })).toBe(true);
  expect(hasProblems({ ...draft, env: twice })).toBe(false);
  expect(hasProblems({ ...draft, transport: 'stdio', env: twice })).toBe(true);
  const api = { ...draft, transport: 'api' as const };
  const endpoint = toEndpointDraft({ name: 'a', path: '/a' });
  expect(hasProblems({ ...api, endpoints: [endpoint] })).toBe(false);
  expect(hasProblems({ ...api, endpoints: [endpoint, { ...endpoint, path: '/b' }] })).toBe(true);
  const broken = [{ ...endpoint, args: { kind: 'json' as const, text: '{', query: [] } }];
  expect(hasProblems({ ...api, endpoints: broken })).toBe(true);
  expect(hasProblems({ ...draft, endpoints: broken })).toBe(false);
});

test('another name or host ends the sign-ins of a server that has some', () => {
  const before = toDraft({ ...stored, authentication: { type: 'oauth' } });
  const perUser = toDraft({ ...stored, credentials: 'per-user' });
  expect(endsSignIns(before, { ...before, name: 'other' })).toBe(true);
  expect(endsSignIns(before, { ...before, url: 'https://elsewhere.example.com/mcp' })).toBe(true);
  expect(endsSignIns(perUser, { ...perUser, transport: 'stdio' })).toBe(true);
  expect(
    endsSignIns(before, {
      ...before,
      name: ' guarded ',
      url: 'https://tools.example.com/v2',
      settings: { description: 'x' },
    }),
  ).toBe(false);
  expect(endsSignIns(toDraft(stored), { ...toDraft(stored), name: 'other' })).toBe(false);
});
