import { describe, expect, test } from 'vitest';
import { parseConfig } from '../load-config.ts';

const load = (document: object) => parseConfig(document, { env: {} });
const server = { command: 'uvx' };

describe('the bridge dialect', () => {
  test('the bridge dialect defaults to a timeout of 30 s and 3 retries [B3]', () => {
    expect(load({ servers: { a: server } }).config.servers[0]).toMatchObject({ timeoutMs: 30_000, retryAttempts: 3 });
    expect(load({ servers: {}, default_timeout: 30 }).config).toMatchObject({ dialect: 'bridge', servers: [] });
  });

  test('the bridge dialect keeps one default when only the other key is set [B3]', () => {
    expect(load({ servers: { a: server }, max_retries: 0 }).config.servers[0]).toMatchObject({
      timeoutMs: 30_000,
      retryAttempts: 0,
    });
  });

  test('the bridge dialect accepts name, description and enabled, and limits per server [B1]', () => {
    const servers = {
      a: { ...server, name: 'a', description: 'A server', enabled: false },
      b: { ...server, timeout: '5s', retry_attempts: 1 },
    };
    expect(load({ servers, default_timeout: 60, max_retries: 5 }).config.servers).toMatchObject([
      { name: 'a', description: 'A server', enabled: false, timeoutMs: 60_000, retryAttempts: 5 },
      { name: 'b', enabled: true, timeoutMs: 5000, retryAttempts: 1 },
    ]);
  });

  test('the bridge dialect limits a longer timeout and more retries, with a warning', () => {
    const { config, warnings } = load({ servers: { a: server }, default_timeout: 600, max_retries: 10 });
    expect(config.servers[0]).toMatchObject({ timeoutMs: 300_000, retryAttempts: 5 });
    expect(warnings).toEqual(['default_timeout is limited to 300 s', 'max_retries is limited to 5']);
  });

  test.each([
    [{ default_timeout: 0 }, /default_timeout {2}must be from 1 s to 300 s, found 0/],
    [{ default_timeout: -3 }, /default_timeout {2}must be positive, found -3$/m],
    [{ max_retries: 'many' }, /max_retries {2}must be a whole number from 0 to 5, found "many"/],
    [{ default_timeout: 30, retries: 1 }, /retries {2}unknown key/],
    [{ default_timeout: 30, servers: { a: { ...server, name: 'b' } } }, /servers\.a\.name {2}unknown key/],
    [{ default_timeout: 30, servers: [] }, /servers {2}must be a map of server names/],
  ])('the bridge dialect rejects %j [M11]', (document, message) => {
    expect(() => load({ servers: {}, ...document })).toThrow(message);
  });
});
