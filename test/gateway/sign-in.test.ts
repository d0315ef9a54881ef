import { describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';

const wrong = (n: number) => `tw_${String(n).padStart(43, 'x')}`;

async function attempt(api: TestApi, key: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${api.url}/api/session`, { headers: { authorization: `Bearer ${key}`, ...headers } });
}

describe('with failed sign-ins', () => {
  test('a wrong credential gets 401 on every route, also on public ones', async () => {
    await using api = await startApi({ servers: {} });
    for (const path of ['/api/session', '/api/health', '/mcp', '/a2a', '/metrics', '/readyz', '/nothing']) {
      const response = await fetch(api.url + path, { headers: { authorization: `Bearer ${wrong(1)}` } });
      expect([path, response.status]).toEqual([path, 401]);
      expect(response.headers.get('www-authenticate')).toContain('invalid_token');
    }
    expect((await fetch(`${api.url}/api/session`)).status).toBe(200);
  });

  test('a flood of wrong credentials gets 429, and every valid credential is accepted, new ones too', async () => {
    await using api = await startApi({ servers: {}, gateway: { requireAuthentication: true } });
    const known = await api.key(['read']);
    let status = 401;
    for (let n = 0; n < 300 && status === 401; n++) status = (await attempt(api, wrong(n))).status;
    expect(status).toBe(429);
    const refused = await attempt(api, wrong(1));
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect((await attempt(api, known)).status).toBe(200);
    expect((await attempt(api, await api.key(['read']))).status).toBe(200);
    expect((await attempt(api, api.adminToken)).status).toBe(200);
    expect((await fetch(`${api.url}/healthz`, { headers: { authorization: `Bearer ${wrong(1)}` } })).status).toBe(200);
    expect(api.log.filter(({ event }) => event === 'auth.failed').length).toBeLessThan(150);
  });

  test('behind a trusted proxy, failures count for the address that the proxy names', async () => {
    const gateway = { requireAuthentication: true, trustedProxies: ['127.0.0.0/8'] };
    await using api = await startApi({ servers: {}, gateway });
    const from = (address: string, n = 1) => attempt(api, wrong(n), { 'x-forwarded-for': address });
    let status = 401;
    for (let n = 0; n < 60 && status === 401; n++) status = (await from('203.0.113.5')).status;
    expect(status).toBe(429);
    expect((await from('203.0.113.6')).status).toBe(401);
    expect((await from('1.1.1.1, 203.0.113.5')).status).toBe(429);
  });
});
