import { describe, expect, test } from 'vitest';
import type { ServerRecord } from '../../api/client.ts';
import { newLine, repeatedNames, toDraft, toInput } from './server-draft.ts';

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
