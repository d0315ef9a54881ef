import type { FetchLike } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { createPoolFetch } from '../../packages/toolwharf/connections/http/pool-fetch.ts';
import {
  callEcho,
  connect,
  createBrowser,
  createTestOAuth,
  expectNoSecrets,
  failure,
  startServers,
} from '../support/oauth.ts';
import { isFull, scaled } from './support/scale.ts';

const many = 200;

describe('a token that ends under 200 calls', () => {
  test('a token that expires during 200 calls is refreshed once, and all of them succeed [R3]', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    const rounds = scaled(2, 20);
    for (let round = 0; round < rounds; round++) {
      const calls = Array.from({ length: many / 2 }, () => callEcho(client));
      // Expires while some calls are answered, some in flight and some not yet sent.
      await servers.expire();
      calls.push(...Array.from({ length: many / 2 }, () => callEcho(client)));
      expect((await Promise.all(calls)).every(({ isError }) => isError !== true)).toBe(true);
    }
    const stats = await servers.stats();
    expect(stats).toMatchObject({ reuse: 0, authorize: 1, calls: rounds * many });
    // One refresh for each expiry, and none for a valid token.
    expect(stats.refresh).toBeGreaterThan(0);
    expect(stats.refresh).toBeLessThanOrEqual(rounds);
  });

  test('an authorization server that answers 500 or garbage is reported without a question or a secret [R3]', async () => {
    for (const mode of ['token-500', 'token-garbage', 'metadata-500']) {
      const servers = await startServers();
      const { oauth, lines } = createTestOAuth(servers.mcp, { callback: createBrowser() });
      const client = await connect(servers.mcp, oauth);
      await servers.expire();
      await servers.setMode(mode);
      const outcomes = await Promise.allSettled(Array.from({ length: many }, () => callEcho(client)));
      // Known endpoints need no metadata, so the call succeeds.
      const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason);
      if (mode !== 'metadata-500') expect(failures).toHaveLength(many);
      expect(new Set(failures.map(({ code }) => code)).size).toBeLessThanOrEqual(1);
      for (const { code } of failures) expect(code).toBe('OAUTH_FAILED');
      await servers.setMode('');
      await callEcho(client);
      const stats = await servers.stats();
      expect(stats).toMatchObject({ authorize: 1, reuse: 0 });
      expectNoSecrets(stats, [...lines, ...failures.map(String)]);
    }
  });

  test('an authorization server that hangs is reported, and calls work when it is back [R3]', async () => {
    const servers = await startServers();
    const pool = createPoolFetch();
    let hanging: PromiseWithResolvers<void> | undefined;
    const fetch: FetchLike = async (url, init) => {
      if (hanging && String(url).endsWith('/token')) {
        const left = new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        });
        await Promise.race([hanging.promise, left]);
      }
      return pool.fetch(url, init);
    };
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser(), fetch });
    const client = await connect(servers.mcp, oauth);
    await servers.expire();
    hanging = Promise.withResolvers();
    const waiting = Array.from({ length: many }, () => callEcho(client));
    if (isFull) {
      // The timeout of the authorization server is 30 s.
      const codes = await Promise.all(waiting.map(async (call) => (await failure(call)).code));
      expect(new Set(codes)).toEqual(new Set(['OAUTH_FAILED']));
    }
    hanging.resolve();
    if (!isFull) expect((await Promise.all(waiting)).every(({ isError }) => isError !== true)).toBe(true);
    await callEcho(client);
    expect(await servers.stats()).toMatchObject({ authorize: 1, reuse: 0 });
    await pool.close();
  });
});
