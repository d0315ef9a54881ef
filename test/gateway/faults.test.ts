import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { startGatewayProcess } from '../faults/support/gateway-process.ts';
import { fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { connectClient, openTestGateway } from '../support/open-gateway.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

const eras = ['legacy', 'auto'] as const;
const testKey = createHash('sha256').update('a key for tests').digest();

const startProcess = (config: object, dataDir: string, port = 0) => startGatewayProcess({ config, dataDir, port });

describe('a client that retains its session', () => {
  for (const era of eras) {
    test(`a client that retains its session can call again after its HTTP server was restarted (${era})`, async () => {
      const first = await startHttp('legacy-http');
      const { port } = new URL(first.url);
      await using gateway = await openTestGateway({ servers: { s: { url: first.url } } });
      await using client = await connectClient(`${gateway.url}/mcp`, { era });
      expect(await client.text('s__echo', { text: 'before' })).toBe('before');
      await first.kill();
      await using _second = await startHttp('legacy-http', { PORT: port });
      expect(await client.text('s__echo', { text: 'after' })).toBe('after');
    });

    test(`a client that retains its session can call again after its stdio server was killed (${era})`, async () => {
      await using gateway = await openTestGateway({ servers: { s: fixture('legacy') } });
      await using client = await connectClient(`${gateway.url}/mcp`, { era });
      const pid = Number(await client.text('s__pid'));
      process.kill(pid, 'SIGKILL');
      await waitFor(() => gateway.toolbox.servers.get('s')?.status.pid !== pid, { what: 'the loss to be noticed' });
      expect(await client.text('s__echo', { text: 'after' })).toBe('after');
    });

    test(`a client that retains its session is not affected by a server that hangs at its start (${era})`, async () => {
      const servers = { good: fixture('legacy'), hanging: fixture('hang-on-start') };
      await using gateway = await openTestGateway({ servers, gateway: { listWait: '1s' } });
      await using client = await connectClient(`${gateway.url}/mcp`, { era });
      expect(await client.names()).toContain('good__echo');
      expect(await client.text('good__echo', { text: 'x' })).toBe('x');
      expect(client.client.getInstructions()).toContain('hanging');
    });

    test(`a client that retains its session gets an error with the reason, not an empty list, while no server is connected (${era})`, async () => {
      const config = { servers: { only: fixture('hang-on-start') }, gateway: { listWait: '200ms' } };
      await using gateway = await openTestGateway(config);
      await using client = await connectClient(`${gateway.url}/mcp`, { era });
      await expect(client.names()).rejects.toThrow(/not available: only/);
    });

    test(`a client that retains its session can call again after the gateway was restarted (${era})`, async () => {
      await using dir = await tempDir();
      const config = { servers: { s: fixture('legacy') } };
      await using first = await startProcess(config, dir.path);
      await using client = await connectClient(first.url, { era });
      expect(await client.text('s__echo', { text: 'before' })).toBe('before');
      await first.end('SIGKILL');
      await using _second = await startProcess(config, dir.path, Number(new URL(first.url).port));
      expect(await client.text('s__echo', { text: 'after' })).toBe('after');
    });

    test(`a client that retains its session gets the tools of all servers while ten servers start (${era})`, async () => {
      const slow = Array.from({ length: 10 }, (_, index) => [`s${index}`, fixture('slow-start', { START_MS: '400' })]);
      await using gateway = await openTestGateway({ servers: Object.fromEntries(slow), gateway: { listWait: '20s' } });
      await using client = await connectClient(`${gateway.url}/mcp`, { era });
      const servers = new Set((await client.names()).map((name) => name.split('__')[0]));
      expect(servers.size).toBe(10);
    });
  }

  test('a client that retains its session leaves no process behind after SIGTERM to a gateway with ten servers', async () => {
    await using dir = await tempDir();
    const servers = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`s${index}`, fixture('legacy')]));
    await using gateway = await startProcess({ servers }, dir.path);
    await using client = await connectClient(gateway.url);
    await client.names();
    const children = descendantsOf(gateway.child.pid as number);
    expect(children.length).toBeGreaterThanOrEqual(10);
    await client.client.close();
    await gateway.end('SIGTERM');
    expect(children.filter(isAlive)).toEqual([]);
  });
});

/** The number of approvals that a running gateway has stored. */
function countApprovals(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare('select count(*) as found from approvals').get()?.found);
  } finally {
    database.close();
  }
}

test('a pending approval survives kill -9, the approved call runs once, and a second call needs another approval', async () => {
  await using dir = await tempDir();
  const ran = dir.file('ran');
  const call = { path: ran, text: 'once' };
  const config = { servers: { s: fixture('legacy') }, toolbox: { approval: { mode: 'always-ask', expires: '1h' } } };
  const open = () => openStorage({ kind: 'sqlite', file: dir.file('toolwharf.db'), sealer: createSealer(testKey) });
  await using first = await startProcess(config, dir.path);
  await using client = await connectClient(first.url);
  const lost = client.text('s__write', call).catch(() => 'lost');
  await waitFor(() => countApprovals(dir.file('toolwharf.db')) === 1, { what: 'the question' });
  await first.end('SIGKILL');
  expect(await lost).toBe('lost');
  {
    await using storage = await open();
    const [waiting, ...others] = await storage.approvals.list({ status: 'pending' });
    expect(others).toEqual([]);
    expect(waiting?.request).toMatchObject({ originalName: 'write', arguments: call });
    const answer = () => storage.approvals.answer(waiting?.request.id as string, { kind: 'allow' }, 'Ada', Date.now());
    expect((await Promise.all([answer(), answer()])).sort()).toEqual(['already', 'answered']);
  }
  await using second = await startProcess(config, dir.path, Number(new URL(first.url).port));
  await client.text('s__write', call);
  const again = client.text('s__write', call).catch(() => 'lost');
  await waitFor(() => countApprovals(dir.file('toolwharf.db')) === 2, { what: 'the second question' });
  await second.end('SIGKILL');
  expect(await again).toBe('lost');
  expect((await readFile(ran, 'utf8')).split('\n').filter(Boolean)).toEqual(['once']);
});

test('after kill -9 under load, every call that ran is in the journal, none ran twice, and clients continue', {
  timeout: 900_000,
}, async () => {
  await using dir = await tempDir();
  const ran = dir.file('ran');
  const config = { servers: { s: { ...fixture('legacy'), protocol: 'legacy' } } };
  const answered = new Set<string>();
  // Set ROUNDS for more. Each round kills the gateway at a random moment.
  const rounds = Number(process.env.ROUNDS ?? 4);
  const atOnce = 10;
  let next = 0;
  let port = 0;
  for (let round = 0; round < rounds; round++) {
    await using gateway = await startProcess(config, dir.path, port);
    port = Number(new URL(gateway.url).port);
    const clients = await Promise.all([1, 2].map(() => connectClient(gateway.url, { era: 'auto' })));
    const before = answered.size;
    const load = Array.from({ length: atOnce }, async (_, index) => {
      const client = clients[index % clients.length];
      for (;;) {
        const text = `call-${next++}`;
        await client?.text('s__write', { path: ran, text });
        answered.add(text);
      }
    });
    // Every other round kills the gateway only after an answer, regardless of the speed of the machine.
    if (round % 2 === 1) await waitFor(() => answered.size > before, { what: 'an answer' });
    setTimeout(() => gateway.child.kill('SIGKILL'), 20 + Math.random() * 150);
    await Promise.allSettled(load);
    await Promise.allSettled(clients.map((client) => client.client.close()));
  }

  const effects = (await readFile(ran, 'utf8')).split('\n').filter(Boolean);
  expect(effects.length).toBeGreaterThanOrEqual(Math.floor(rounds / 2));
  expect(new Set(effects).size).toBe(effects.length);
  const missing = [...answered].filter((text) => !effects.includes(text));
  expect(missing).toEqual([]);

  await using storage = await openStorage({
    kind: 'sqlite',
    file: dir.file('toolwharf.db'),
    sealer: createSealer(testKey),
  });
  const recorded = new Map<string, string>();
  for (let before: string | undefined; ; ) {
    const page = await storage.journal.list({ limit: 500, ...(before !== undefined && { before }) });
    for (const record of page) recorded.set(String(record.arguments.text), record.status);
    before = page.at(-1)?.id;
    if (page.length < 500) break;
  }
  expect(effects.filter((text) => !recorded.has(text))).toEqual([]);
  expect([...answered].filter((text) => recorded.get(text) !== 'success')).toEqual([]);
  expect([...recorded.values()].filter((status) => status === 'pending' || status === 'running')).toEqual([]);
});
