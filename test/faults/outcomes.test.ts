import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { openFaultProxy } from './support/fault-proxy.ts';
import { scaled } from './support/scale.ts';
import { openWorld } from './support/world.ts';

describe('a server that acts and is cut off before it answers', () => {
  test('a server that is cut off after it acted has acted once, and the outcome is unknown: over stdio and HTTP, in both eras [A8]', async () => {
    await using world = await openWorld();
    await using legacy = await world.serve({ ERA: 'legacy' });
    await using modern = await world.serve({ ERA: 'modern' });
    const servers = {
      stdio_legacy: world.program({ ERA: 'legacy' }),
      stdio_modern: world.program({ ERA: 'modern' }),
      http_legacy: { url: legacy.url },
      http_modern: { url: modern.url },
    };
    const names = Object.keys(servers);
    // Trust alone is not enough: the tool must also be declared repeatable.
    const trusted = Object.entries(servers).map(([name, server]) => [name, { ...server, trusted: true }]);
    await using gateway = await world.open({ servers: Object.fromEntries(trusted) });
    await using client = await world.load.open(`${gateway.url}/mcp`, 'ada');
    const rounds = scaled(1, 25);
    for (let round = 0; round < rounds; round++) {
      for (const tool of names.map((name) => `${name}__act`)) {
        expect(await client.call({ tool })).toMatchObject({ answer: 'success' });
        const cut = await world.breaking('cut', () => client.call({ tool, how: 'cut' }));
        expect(cut).toMatchObject({ answer: 'error', code: 'OUTCOME_UNKNOWN' });
        expect((await world.effects()).filter(({ marker }) => marker === cut.marker)).toHaveLength(1);
        const next = await client.call({ tool });
        expect([tool, next.code ?? next.answer]).toEqual([tool, 'success']);
      }
    }
    await gateway.close();
    expect(await world.findings()).toEqual([]);
    const unknown = (await world.records()).filter((record) => record.end === 'unknown-outcome');
    expect(unknown).toHaveLength(rounds * names.length);
  });

  test('a call that was cut off is sent again only where a trusted server says that the tool may be repeated [A8]', async () => {
    await using world = await openWorld();
    await using server = await world.serve();
    const config = { servers: { trusted: { url: server.url, trusted: true }, other: { url: server.url } } };
    await using gateway = await world.open(config);
    await using client = await world.load.open(`${gateway.url}/mcp`, 'ada');
    const cut = (tool: string, repeatable: boolean) =>
      world.breaking('cut', () => client.call({ how: 'cut', tool, repeatable }));
    const times = async (marker: string) => (await world.effects()).filter((effect) => effect.marker === marker).length;
    for (const [tool, expected] of [
      ['trusted__act_again', 2],
      ['trusted__act', 1],
      ['other__act_again', 1],
    ] as const) {
      const call = await cut(tool, expected === 2);
      // The repeated call is cut off too, and then ends.
      expect([tool, call.code, await times(call.marker)]).toEqual([tool, 'OUTCOME_UNKNOWN', expected]);
    }
    await gateway.close();
    expect(await world.findings()).toEqual([]);
  });

  test('a proxy that loses, resets or truncates the response causes one effect each, and the next call works', async () => {
    await using world = await openWorld();
    await using server = await world.serve({ JSON: '1' });
    await using proxy = await openFaultProxy(Number(new URL(server.url).port));
    const config = { servers: { s: { url: proxy.through(server.url), defaultToolConfig: { timeout: '4s' } } } };
    await using gateway = await world.open(config);
    await using client = await world.load.open(`${gateway.url}/mcp`, 'ada');
    await client.call();
    const faults = { reset: { resetAfterBytes: 10 }, lost: { drop: 'to-client' } } as const;
    for (let round = 0; round < scaled(1, 20); round++) {
      for (const [kind, fault] of Object.entries(faults)) {
        const call = await world.breaking(kind, async () => {
          proxy.set(fault);
          return client.call();
        });
        proxy.set({});
        proxy.end('close');
        expect(call.code).toBe(kind === 'reset' ? 'OUTCOME_UNKNOWN' : 'CALL_TIMED_OUT');
        expect((await world.effects()).filter(({ marker }) => marker === call.marker)).toHaveLength(1);
        expect(await client.call()).toMatchObject({ answer: 'success' });
      }
    }
    await gateway.close();
    expect(await world.findings()).toEqual([]);
  });
});

describe('the same idempotency key', () => {
  test('an idempotency key used many times, later, after a stop and after kill -9 has one effect and one result', async () => {
    await using world = await openWorld();
    const config = { servers: { s: world.program() } };
    let port = 0;
    const keys = scaled(1, 20);
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await using gateway = await world.start(config, { port });
      port = gateway.port;
      const clients = await Promise.all([1, 2].map(() => world.load.open(gateway.url, 'ada')));
      for (let index = 0; index < keys; index++) {
        const same = { marker: `marker-${index}`, key: `key-${index}`, how: 'slow' };
        const at = Array.from({ length: 6 }, (_, turn) => clients[turn % 2]?.call(same));
        for (const call of await Promise.all(at)) expect(call).toMatchObject({ answer: 'success' });
      }
      const other = await clients[0]?.call({ marker: `other-${signal}`, key: 'key-0', how: 'slow' });
      expect(other).toMatchObject({ answer: 'error', code: 'IDEMPOTENCY_CONFLICT' });
      await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
      await world.breaking(signal, () => gateway.end(signal));
    }
    expect(await world.effects()).toHaveLength(keys);
    expect(await world.findings()).toEqual([]);
  });

  test("an idempotency key belongs to its caller, and another caller's call under it runs", async () => {
    await using world = await openWorld();
    await using gateway = await world.open({ servers: { s: world.program() } });
    await using ada = await world.load.open(`${gateway.url}/mcp`, 'ada');
    await using eve = await world.load.open(`${gateway.url}/mcp`, 'eve');
    await Promise.all([ada.call({ key: 'k' }), eve.call({ key: 'k' })]);
    await gateway.close();
    expect(await world.effects()).toHaveLength(2);
    expect(await world.findings()).toEqual([]);
  });

  test('an idempotency key of a call that kill -9 cut off keeps its unknown outcome, and the call is not run again', async () => {
    await using world = await openWorld();
    const config = { servers: { s: world.program() } };
    const call = { marker: 'once', key: 'k', how: 'hang' };
    await using first = await world.start(config);
    await using client = await world.load.open(first.url, 'ada');
    const lost = client.call(call);
    await waitFor(async () => (await world.effects()).length === 1);
    await world.breaking('kill', () => first.end('SIGKILL'));
    expect(await lost).toMatchObject({ answer: 'none' });
    await using second = await world.start(config, { port: first.port });
    expect(await client.call(call)).toMatchObject({ answer: 'error', code: 'OUTCOME_UNKNOWN' });
    await second.end('SIGTERM');
    expect(await world.effects()).toHaveLength(1);
    expect(await world.findings()).toEqual([]);
  });
});
