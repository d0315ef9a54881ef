import { randomUUID } from 'node:crypto';
import { createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createPostgresEngine } from '../../packages/gateway/core/storage/postgres/postgres-engine.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { createPostgresWorkspace } from './kinds.ts';
import { at, gather, makeApproval, makeCall, makeConversation, makeServer } from './records.ts';
import { startWriter } from './writer-process.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe('processes that share one Postgres', () => {
  test('processes that share one Postgres write one journal, and every confirmed write survives when some of them are killed', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    // Longer than the test, so that no busy machine lets the lease of a living writer expire.
    const options = { kind: 'postgres', url: workspace.url, key: workspace.key.toString('hex'), leaseMs: 600_000 };
    await using started = new AsyncDisposableStack();
    const writers = [1, 2, 3].map(() => started.use(startWriter(options)));
    await Promise.all(writers.map((writer) => writer.waitForLine(/ success$/)));
    for (const writer of writers) {
      await wait(Math.random() * 200);
      await writer.kill();
    }
    await workspace.sql('update owners set expires_at = 0');
    await using storage = await workspace.open();
    await waitFor(isNoneOpen, { what: 'the end of open calls' });
    expect(await gather(storage.audit.verify())).toEqual([]);
    for (const writer of writers) {
      expect(writer.confirmed.size).toBeGreaterThan(0);
      for (const [id, status] of writer.confirmed) {
        const call = await storage.journal.get(id);
        expect(['success', 'error']).toContain(call?.status);
        if (status === 'success') expect(call?.status).toBe('success');
      }
    }

    async function isNoneOpen(): Promise<boolean> {
      await storage.audit.recover();
      const open = await workspace.sql("select id from calls where status in ('pending', 'running') limit 1");
      return open.length === 0;
    }
  });

  test('processes that share one Postgres keep the open calls of living processes and end those of dead processes', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    const options = { kind: 'postgres', url: workspace.url, key: workspace.key.toString('hex'), openCalls: 10 };
    await using dead = startWriter({ ...options, leaseMs: 2_000 });
    await using alive = startWriter({ ...options, leaseMs: 600_000 });
    await Promise.all([dead.waitForLine(/^done$/), alive.waitForLine(/^done$/)]);
    await dead.kill();
    // No method is called on this storage: its timer finds the dead process.
    await using storage = await workspace.open({ leaseMs: 600 });
    await waitFor(async () => (await storage.journal.list({ status: 'error' })).length === 10, {
      what: 'ten ended calls',
    });
    const ended = await storage.journal.list({ status: 'error' });
    expect(ended.map(({ id }) => dead.confirmed.has(id))).toEqual(Array(10).fill(true));
    expect(ended.filter(({ end }) => end === 'unknown-outcome')).toHaveLength(5);
    expect(ended.filter(({ end }) => end === 'failed')).toHaveLength(5);
    const open = [
      ...(await storage.journal.list({ status: 'pending' })),
      ...(await storage.journal.list({ status: 'running' })),
    ];
    expect(open.map(({ id }) => alive.confirmed.has(id))).toEqual(Array(10).fill(true));
    expect(await gather(storage.audit.verify())).toEqual([]);
  });

  test('processes that share one Postgres register again after their lease was removed', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using other = await workspace.open();
    const engine = createPostgresEngine({ url: workspace.url, leaseMs: 100 });
    const slow = await engine.own();
    const entered = async () => (await workspace.sql(`select id from owners where id = '${slow.id}'`)).length;
    expect(await entered()).toBe(1);
    // The lease ends after 100 ms and is not renewed.
    await wait(200);
    await other.audit.recover();
    expect(await entered()).toBe(0);
    await slow.ensureRegistered();
    expect(await entered()).toBe(1);
    await slow.release();
    expect(await entered()).toBe(0);
    await engine.close();
  });

  test('processes that share one Postgres replace the end of an abandoned call by its real end if that arrives later', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using slow = await workspace.open();
    const call = makeCall({ status: 'running' });
    await slow.journal.write(call);
    await workspace.sql('update owners set expires_at = 0');
    await using other = await workspace.open();
    expect((await other.journal.get(call.id))?.end).toBe('unknown-outcome');
    await slow.journal.write({ ...call, status: 'success' });
    expect(await other.journal.get(call.id)).toEqual({ ...call, status: 'success' });
    expect(await gather(other.audit.verify())).toEqual([]);
  });

  test('processes that share one Postgres leave no open calls when they close cleanly', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    const first = await workspace.open();
    const call = makeCall({ status: 'pending' });
    await first.journal.write(call);
    await first.close();
    await using second = await workspace.open();
    expect((await second.journal.get(call.id))?.end).toBe('failed');
  });

  test('processes that share one Postgres take over only conversations of dead processes', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using one = await workspace.open();
    await using other = await workspace.open();
    const idle = makeConversation();
    const running = makeConversation({ status: 'running' });
    await one.conversations.put(idle);
    await one.conversations.put(running);
    expect(await other.conversations.abandoned()).toEqual([]);
    expect(await other.conversations.claim(running.id)).toBe(false);
    // Renaming a conversation does not claim it.
    await other.conversations.put({ ...running, title: 'Renamed' });
    expect(await other.conversations.claim(running.id)).toBe(false);
    expect(await other.conversations.claim(idle.id)).toBe(true);
    await one.close();
    expect(await other.conversations.abandoned()).toEqual([{ ...running, title: 'Renamed' }]);
    await using third = await workspace.open();
    expect(await third.conversations.abandoned()).toEqual([]);
    expect(await third.conversations.claim(running.id)).toBe(false);
  });

  test('processes that share one Postgres ask, answer and use an approval exactly once', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    const storages = await Promise.all([1, 2, 3].map(() => workspace.open()));
    const everywhere = <Value>(ask: (index: number) => Promise<Value>) =>
      Promise.all(Array.from({ length: 12 }, (_, index) => ask(index)));
    const storageOf = (index: number) => storages[index % 3] ?? Promise.reject();
    for (let round = 0; round < 5; round++) {
      const argumentsHash = randomUUID();
      const added = await everywhere(async (index) =>
        (await storageOf(index)).approvals.add(makeApproval({ argumentsHash })),
      );
      const ids = new Set(added.map(({ request }) => request.id));
      expect(ids.size).toBe(1);
      const [id = ''] = ids;
      const now = Date.parse(at(1));
      const answers = await everywhere(async (index) =>
        (await storageOf(index)).approvals.answer(id, { kind: index % 2 ? 'allow' : 'deny' }, `${index}`, now),
      );
      expect(answers.filter((answer) => answer === 'answered')).toHaveLength(1);
      const winner = answers.indexOf('answered');
      const uses = await everywhere(async (index) => (await storageOf(index)).approvals.use(id));
      expect(uses.filter(Boolean)).toHaveLength(winner % 2);
      const claim = { caller: 'a', key: argumentsHash, fingerprint: 'f' };
      const claims = await everywhere(async (index) =>
        (await storageOf(index)).journal.claim({ ...claim, callId: `${index}` }),
      );
      expect(claims.filter((taken) => taken === undefined)).toHaveLength(1);
    }
    await Promise.all(storages.map((storage) => storage.close()));
  });

  test('processes that share one Postgres read the changes of other processes', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using one = await workspace.open();
    await using two = await workspace.open();
    const rule = { id: 'r', scope: 'server', answer: 'allow', createdAt: at(0) } as const;
    const server = makeServer();
    expect(await two.rules.list()).toEqual([]);
    await one.rules.add(rule);
    await one.servers.put(server);
    expect(await two.rules.list()).toEqual([rule]);
    expect(await two.servers.list()).toMatchObject([server]);
    await two.rules.remove(rule.id);
    expect(await one.rules.list()).toEqual([]);
  });

  test('a change of a record raises the revision of its kind once, and the time of its last use does not', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using storage = await workspace.open();
    const revisions = async () => (await storage.fleet?.revisions()) ?? new Map<string, number>();
    let before = await revisions();
    /** The topics that the work has raised, and by how much. */
    async function raisedBy(work: () => Promise<unknown>) {
      await work();
      const after = await revisions();
      const raised = [...after].flatMap(([topic, revision]) => {
        const change = revision - (before.get(topic) ?? 0);
        return change === 0 ? [] : [[topic, change]];
      });
      before = after;
      return Object.fromEntries(raised);
    }
    const key = { id: 'k', name: 'ci', hash: 'h', rights: ['call'], createdAt: at(0) };
    const server = makeServer();
    const overrides = Array.from({ length: 300 }, (_, tool) => ({ server: 's', tool: `t${tool}`, enabled: false }));
    expect(await raisedBy(() => storage.keys.add(key))).toEqual({ api_keys: 1 });
    expect(await raisedBy(() => storage.keys.touch('k', at(1)))).toEqual({});
    expect(await raisedBy(() => storage.keys.revoke('k', at(2)))).toEqual({ api_keys: 1 });
    expect(await raisedBy(() => storage.servers.put(server))).toEqual({ servers: 1 });
    expect(await raisedBy(() => storage.servers.touch(server.id, at(1)))).toEqual({});
    expect(await raisedBy(() => storage.servers.put(server))).toEqual({ servers: 1 });
    expect(await raisedBy(() => storage.servers.remove(server.id))).toEqual({ servers: 1 });
    expect(await raisedBy(() => storage.toolOverrides.setAll(overrides))).toEqual({ tool_overrides: 1 });
    expect(await raisedBy(() => storage.modelSettings.put({ provider: 'p', model: 'm' }))).toEqual({});
  });
});

describe('an unavailable Postgres', () => {
  test('an unavailable Postgres makes recording fail until it is available again', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using proxy = await startProxy(workspace.url);
    await using storage = await openStorage({ kind: 'postgres', url: proxy.url, sealer: createSealer(workspace.key) });
    const calls = [makeCall(), makeCall({ status: 'running' }), makeCall()] as const;
    await storage.journal.write({ ...calls[0], status: 'running' });
    proxy.disconnect();
    for (const call of [calls[1], calls[0]])
      await expect(storage.journal.write(call)).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' });
    await expect(storage.journal.claim({ caller: 'a', key: 'b', fingerprint: 'c', callId: 'd' })).rejects.toMatchObject(
      {
        code: 'JOURNAL_UNAVAILABLE',
      },
    );
    await expect(storage.servers.list()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expect(gather(storage.audit.verify())).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expect(storage.audit.recover()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    proxy.reconnect();
    await storage.journal.write(calls[2]);
    // The rejected intent was not written. The end was buffered and is written a little later.
    const steps = () => gather(storage.audit.export());
    await waitFor(async () => (await steps()).length === 3);
    expect(await steps()).toMatchObject([
      { callId: calls[0].id, record: { status: 'running' } },
      { callId: calls[2].id, record: { status: 'success' } },
      { callId: calls[0].id, record: { status: 'success' } },
    ]);
    expect(await storage.journal.list()).toEqual([calls[2], calls[0]]);
    expect(await gather(storage.audit.verify())).toEqual([]);
  });

  test('an unavailable Postgres that stops answering causes a timeout, and its connection is not used again', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using proxy = await startProxy(workspace.url);
    const options = {
      kind: 'postgres',
      url: proxy.url,
      sealer: createSealer(workspace.key),
      queryTimeoutMs: 5_000,
    } as const;
    await using storage = await openStorage(options);
    await storage.meta.set('a', 'b');
    proxy.stall();
    await expect(storage.meta.get('a')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await storage.meta.get('a')).toBe('b');
    proxy.stall();
    await expect(storage.journal.write(makeCall())).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' });
    await storage.journal.write(makeCall());
  });

  test('Postgres commits to disk, even if it is configured not to', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    const url = new URL(workspace.url);
    url.searchParams.set('options', `${url.searchParams.get('options')} -csynchronous_commit=off`);
    expect(await postgres.query(url.href, 'show synchronous_commit')).toEqual([{ synchronous_commit: 'off' }]);
    const engine = createPostgresEngine({ url: url.href });
    const { rows } = await sql`show synchronous_commit`.execute(engine.db);
    expect(rows).toEqual([{ synchronous_commit: 'on' }]);
    await engine.close();
  });

  test('an unavailable Postgres is named in the error without its password', async () => {
    const url = 'postgres://someone:the-password@127.0.0.1:1/none';
    const error = await openStorage({ kind: 'postgres', url, sealer: createSealer(Buffer.alloc(32)) }).catch(
      (cause) => cause,
    );
    expect(error).toMatchObject({ code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining('127.0.0.1:1') });
    const bad = openStorage({ kind: 'postgres', url: 'the-password', sealer: createSealer(Buffer.alloc(32)) });
    const refused = await bad.catch((cause) => cause);
    expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
    for (const cause of [error, refused]) expect(`${cause.stack} ${cause.cause}`).not.toContain('the-password');
  });
});

interface DatabaseProxy extends AsyncDisposable {
  readonly url: string;
  /** Closes every connection and rejects new ones until `reconnect`. */
  disconnect(): void;
  reconnect(): void;
  /** Keeps the current connections open but stops forwarding data. */
  stall(): void;
}

/** A TCP proxy in front of the database. */
async function startProxy(target: string): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isDisconnected = false;
  const server = createServer((near) => {
    if (isDisconnected) return void near.destroy();
    const far = createConnection(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as { port: number }).port);
  const disconnect = () => {
    isDisconnected = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    disconnect,
    reconnect() {
      isDisconnected = false;
    },
    stall() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      disconnect();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
