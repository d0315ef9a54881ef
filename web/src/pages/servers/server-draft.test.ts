import { describe, expect, test } from 'vitest';
import type { ServerRecord } from '../../api/client.ts';
import { toEndpointDraft } from './endpoints/endpoint-draft.ts';
import { authenticationType, isUnsendable, newLine, repeatedNames, toDraft, toInput } from './server-draft.ts';

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

describe('what the form sends', () => {
  test('keeps every stored secret of a server that was not touched [R10, R17]', () => {
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

  test('is what belongs to the chosen transport and to no other', () => {
    const both = { ...toDraft(stored), command: ' npx ', args: [newLine('', '-y')], env: [newLine('KEY', 'k')] };
    const program = toInput({ ...both, transport: 'stdio' });
    expect(program).toMatchObject({ transport: 'stdio', command: 'npx', args: ['-y'], env: { KEY: 'k' } });
    for (const key of ['url', 'headers', 'authentication', 'allowInsecure']) expect(program).not.toHaveProperty(key);
    for (const key of ['command', 'args', 'env', 'cwd']) expect(toInput(both)).not.toHaveProperty(key);
  });

  test('leaves out what is empty, and lets the gateway say what is missing', () => {
    const { url: _url, ...input } = toInput(toDraft());
    expect(input).toEqual({
      name: '',
      transport: 'auto',
      headers: {},
      allowInsecure: false,
      authentication: { type: 'none' },
      timeout: 30_000,
      retryAttempts: 3,
      enabled: true,
    });
    expect(_url).toBeUndefined();
    const unset = toInput({ ...toDraft(), timeout: '', headers: [newLine(), newLine('', 'lost')] });
    expect(unset).not.toHaveProperty('timeout');
    expect(unset.headers).toEqual({ '': 'lost' });
  });

  test('of an API is also what it has, which goes nowhere else [R21]', () => {
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

  test('of an API has no OAuth, which is still there when another transport is chosen [R21]', () => {
    const draft = { ...toDraft(stored), authentication: { ...toDraft().authentication, type: 'oauth' as const } };
    const asApi = { ...draft, transport: 'api' as const };
    expect(toInput(asApi).authentication).toEqual({ type: 'none' });
    expect(authenticationType(asApi)).toBe('none');
    expect(authenticationType({ ...asApi, transport: 'sse' })).toBe('oauth');
  });

  test('has of a way to authenticate what that way knows', () => {
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

test('names that stand twice are found, empty ones are not names', () => {
  const lines = [newLine('a'), newLine('b'), newLine('a'), newLine(), newLine(), newLine('__proto__')];
  expect([...repeatedNames(lines)]).toEqual(['a']);
});

test('what could not be told to the gateway as it is meant is not sent', () => {
  const twice = [newLine('a'), newLine('a')];
  const draft = toDraft(stored);
  expect(isUnsendable(draft)).toBe(false);
  expect(isUnsendable({ ...draft, headers: twice })).toBe(true);
  expect(isUnsendable({ ...draft, env: twice })).toBe(false);
  expect(isUnsendable({ ...draft, transport: 'stdio', env: twice })).toBe(true);
  const api = { ...draft, transport: 'api' as const };
  const endpoint = toEndpointDraft({ name: 'a', path: '/a' });
  expect(isUnsendable({ ...api, endpoints: [endpoint] })).toBe(false);
  expect(isUnsendable({ ...api, endpoints: [endpoint, { ...endpoint, path: '/b' }] })).toBe(true);
  const broken = [{ ...endpoint, takes: { kind: 'json' as const, text: '{', query: [] } }];
  expect(isUnsendable({ ...api, endpoints: broken })).toBe(true);
  expect(isUnsendable({ ...draft, endpoints: broken })).toBe(false);
});
