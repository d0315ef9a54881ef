import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type FaultProxy, openFaultProxy } from './support/fault-proxy.ts';
import { scaled } from './support/scale.ts';
import { openWorld } from './support/world.ts';

describe('a network with every kind of fault', () => {
  test('a network that breaks under load loses no call, repeats none, explains every unknown outcome, and recovers [A8]', {
    timeout: 900_000,
  }, async () => {
    await using world = await openWorld();
    await using legacy = await world.serve({ ERA: 'legacy' });
    await using modern = await world.serve({ ERA: 'modern', JSON: '1' });
    await using toLegacy = await openFaultProxy(Number(new URL(legacy.url).port));
    await using toModern = await openFaultProxy(Number(new URL(modern.url).port));
    const limits = { defaultToolConfig: { timeout: '20s' }, timeout: '20s' };
    const servers = {
      legacy: { url: toLegacy.through(legacy.url), ...limits },
      modern: { url: toModern.through(modern.url), ...limits },
      s: world.program(),
    };
    await using gateway = await world.open({ servers });
    const clients = await Promise.all(['ada', 'bob'].map((name) => world.load.open(`${gateway.url}/mcp`, name)));
    let isOver = false;
    const load = clients.flatMap((client) =>
      Object.keys(servers).map(async (server) => {
        while (!isOver) {
          await client.call({ tool: `${server}__act` });
          await wait(5);
        }
      }),
    );
    const proxies = { legacy: toLegacy, modern: toModern };
    // In turn, so that each server is also checked while only the other one is broken.
    const places = [['legacy'], ['modern'], ['legacy', 'modern']] as const;
    const faults: [kind: string, breakIt: (proxy: FaultProxy) => void][] = [
      ['latency', (proxy) => proxy.set({ latencyMs: 100 })],
      ['narrow', (proxy) => proxy.set({ bytesPerSecond: 2_000 })],
      ['lost questions', (proxy) => proxy.set({ drop: 'to-server' })],
      ['lost answers', (proxy) => proxy.set({ drop: 'to-client' })],
      ['partition', (proxy) => proxy.set({ drop: 'both' })],
      ['reset in mid-frame', (proxy) => proxy.set({ resetAfterBytes: 40 })],
      ['reset', (proxy) => proxy.end('reset')],
      ['half open', (proxy) => proxy.end('half-open')],
      ['refused', refuse],
    ];
    for (let round = 0; round < scaled(1, 12); round++) {
      for (const [at, [kind, breakIt]] of faults.entries()) {
        const broken = places[(round + at) % places.length] ?? [];
        const healed = world.load.calls.length;
        const work = async () => {
          for (const server of broken) breakIt(proxies[server]);
          await wait(scaled(300, 1_500));
          for (const server of broken) {
            proxies[server].set({});
            proxies[server].end('close');
          }
          // Calls sent before this time may have met the fault.
          await waitFor(() => bothAnswered(world.load.calls.slice(healed)), { what: `an answer after: ${kind}` });
          await wait(scaled(200, 1_500));
        };
        // The third server has no fault.
        await world.breaking(kind, work, { servers: broken });
      }
    }
    isOver = true;
    await Promise.all(load);
    const answered = world.load.calls.filter(({ answer }) => answer === 'success').length;
    for (const client of clients) {
      for (const server of Object.keys(servers)) {
        expect(await client.call({ tool: `${server}__act` })).toMatchObject({ answer: 'success' });
      }
    }
    await gateway.close();
    expect(await world.findings()).toEqual([]);
    const unknown = world.load.calls.filter(({ code }) => code === 'OUTCOME_UNKNOWN').length;
    console.log(
      `network: ${world.faults.length} faults, ${world.load.calls.length} calls, ${answered} answered, ` +
        `${unknown} unknown, 0 findings`,
    );

    function bothAnswered(calls: typeof world.load.calls): boolean {
      const isLast = (server: string) =>
        calls.slice(-40).some(({ answer, tool }) => answer === 'success' && tool === `${server}__act`);
      return isLast('legacy') && isLast('modern');
    }
  });

  test('a host name that is not found is reported, retried, and delays no other call', async () => {
    await using world = await openWorld();
    const servers = { s: world.program(), nowhere: { url: 'https://toolwharf-test.invalid/mcp' } };
    await using gateway = await world.open({ servers });
    await using client = await world.load.open(`${gateway.url}/mcp`, 'ada');
    expect(await client.call()).toMatchObject({ answer: 'success' });
    const status = await waitFor(() => {
      const found = gateway.toolbox.servers.get('nowhere')?.status;
      return found?.state === 'error' && found;
    });
    expect(status).toMatchObject({ code: 'SERVER_UNREACHABLE', nextTryAt: expect.any(String) });
  });
});

function refuse(proxy: FaultProxy): void {
  proxy.set({ refuse: true });
  proxy.end('reset');
}
