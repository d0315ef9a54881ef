import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { createAppSessions } from '../../packages/gateway/core/auth/app-sessions.ts';
import { createEndedSessions } from '../../packages/gateway/core/auth/ended-sessions.ts';
import type { Ownership } from '../../packages/gateway/core/auth/ownership.ts';
import type { EventSources } from '../../packages/gateway/core/events/collect-events.ts';
import type { EventLog, NumberedEvent } from '../../packages/gateway/core/events/event-log.ts';
import { openSharedEventLog } from '../../packages/gateway/core/events/shared-event-log.ts';
import type { Fleet } from '../../packages/gateway/core/replicas/fleet.ts';
import { type FleetOptions, openFleet } from '../../packages/gateway/features/fleet/fleet.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import type { FleetStore } from '../../packages/toolwharf/storage/ports/fleet-store.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { createPostgresWorkspace, type PostgresWorkspace } from '../storage/kinds.ts';
import { makeServer } from '../storage/records.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { patienceMs, waitFor } from '../support/wait-for.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

interface Replica extends AsyncDisposable {
  readonly storage: Storage;
  readonly fleet: Fleet;
}

async function openReplica(
  workspace: PostgresWorkspace,
  {
    changeStore = (store: FleetStore) => store,
    ...options
  }: Partial<FleetOptions> & {
    changeStore?: (store: FleetStore) => FleetStore;
  } = {},
): Promise<Replica> {
  const { storage, store } = await workspace.openReplica();
  const fleet = await openFleet({ store: changeStore(store), log: silentLog, ...options });
  let closing: Promise<void> | undefined;
  return {
    storage,
    fleet,
    async [Symbol.asyncDispose]() {
      closing ??= (async () => {
        await fleet[Symbol.asyncDispose]();
        await storage.close();
      })();
      await closing;
    },
  };
}

/** A pooler that forwards no notifications. */
const withoutHints = (store: FleetStore): FleetStore => ({
  ...store,
  listen: () => ({ isLive: false, [Symbol.asyncDispose]: async () => {} }),
});

describe.each([
  ['with notifications', { pollMs: 600_000 }],
  ['with polling alone', { changeStore: withoutHints, pollWithoutHintsMs: 20 }],
] as const)('replicas on one database, %s,', (_name, options) => {
  test('replicas call methods of each other', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using one = await openReplica(workspace, options);
    await using two = await openReplica(workspace, options);
    two.fleet.handle('double', async ({ value }) => ({ value: Number(value) * 2 }));
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, value) => one.fleet.request(String(two.fleet.replica), 'double', { value })),
    );
    expect(results).toEqual(Array.from({ length: 50 }, (_, value) => ({ value: value * 2 })));
    await expect(one.fleet.request(String(two.fleet.replica), 'unknown', {})).rejects.toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
    });
  });

  test('replicas send items in order before the answer', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using one = await openReplica(workspace, options);
    await using two = await openReplica(workspace, options);
    two.fleet.handle('count', async ({ to }, { from, send }) => {
      for (let value = 0; value < Number(to); value++) {
        send({ value });
        if (value % 10 === 0) await new Promise(setImmediate);
      }
      return { from };
    });
    const received: unknown[] = [];
    const onItem = ({ value }: JsonObject) => void received.push(value);
    const answer = await one.fleet.request(String(two.fleet.replica), 'count', { to: 100 }, { onItem });
    expect(received).toEqual(Array.from({ length: 100 }, (_, value) => value));
    expect(answer).toEqual({ from: one.fleet.replica });
  });

  test('replicas learn of changes of the stores', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using one = await openReplica(workspace, options);
    await using two = await openReplica(workspace, options);
    const changed: string[] = [];
    for (const topic of ['servers', 'rules', 'api_keys', 'ended_sessions'] as const)
      two.fleet.onChange(topic, () => void changed.push(topic));
    await one.storage.servers.put(makeServer());
    await waitFor(() => changed.includes('servers'), { what: 'the change of the servers' });
    await one.storage.endedSessions.add({ id: 's', owner: 'o', expiresAt: Date.now() + 600_000 });
    await waitFor(() => changed.includes('ended_sessions'), { what: 'the end of the session' });
    expect(await two.storage.endedSessions.list(0)).toMatchObject({ ended: [{ id: 's', owner: 'o' }] });
    expect(changed).not.toContain('rules');
    expect(changed).not.toContain('api_keys');
  });
});

test('the last request of a user is not reported as a change, and a changed role or a disabled user is', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await openReplica(workspace);
  const revision = async () => (await one.storage.fleet?.revisions())?.get('users') ?? 0;
  const claimsAt = new Date().toISOString();
  const claims = { issuer: 'i', subject: 's', groups: [], roles: ['member'] as const, claimsAt };
  await one.storage.users.save('u', claims);
  const added = await revision();
  expect(added).toBeGreaterThan(0);
  await one.storage.users.touch('u', claimsAt);
  expect(await revision()).toBe(added);
  await one.storage.users.save('u', { ...claims, roles: ['admin'] });
  const changed = await revision();
  expect(changed).toBeGreaterThan(added);
  await one.storage.users.disable('u', claimsAt);
  expect(await revision()).toBeGreaterThan(changed);
});

test('the last use of a key is not reported as a change', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await openReplica(workspace);
  const at = new Date().toISOString();
  const revision = async () => (await one.storage.fleet?.revisions())?.get('api_keys');
  await one.storage.keys.add({ id: 'k', name: 'k', hash: 'h', rights: ['call'], createdAt: at });
  expect(await revision()).toBe(1);
  await one.storage.keys.touch('k', at);
  expect(await revision()).toBe(1);
  await one.storage.keys.revoke('k', at);
  expect(await revision()).toBe(2);
});

test('a request fails when the other replica stops before it answers, and when it is not there', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await openReplica(workspace);
  await using two = await openReplica(workspace);
  const asked = Promise.withResolvers<void>();
  two.fleet.handle('wait', (_params, { signal }) => {
    asked.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  const waiting = one.fleet.request(String(two.fleet.replica), 'wait', {});
  await asked.promise;
  await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'GONE' }), two[Symbol.asyncDispose]()]);
  await expect(one.fleet.request('nobody', 'wait', {})).rejects.toMatchObject({ code: 'GONE' });
});

test('the last answer of a replica that stops arrives, also if it was sent after the other one had read its messages', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  const asked = Promise.withResolvers<void>();
  const stop = Promise.withResolvers<void>();
  await using two = await openReplica(workspace);
  let isAnswering = false;
  const readsBeforeAnswer = (store: FleetStore): FleetStore => ({
    ...store,
    async replicas() {
      if (!isAnswering) {
        await asked.promise;
        isAnswering = true;
        stop.resolve();
        await two[Symbol.asyncDispose]();
      }
      return store.replicas();
    },
  });
  await using one = await openReplica(workspace, { changeStore: readsBeforeAnswer });
  two.fleet.handle('last', async () => {
    asked.resolve();
    await stop.promise;
    return { done: true };
  });
  expect(await one.fleet.request(String(two.fleet.replica), 'last', {})).toEqual({ done: true });
});

test('a request that is aborted while it is being sent rejects, and the process continues', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  const sent = Promise.withResolvers<void>();
  const slowly = (store: FleetStore): FleetStore => ({
    ...store,
    async send(messages) {
      await sent.promise;
      return store.send(messages);
    },
  });
  await using one = await openReplica(workspace, { changeStore: slowly });
  await using two = await openReplica(workspace);
  const abort = new AbortController();
  const asking = one.fleet.request(String(two.fleet.replica), 'wait', {}, { signal: abort.signal });
  abort.abort(new Error('too late'));
  // An unhandled rejection is reported after this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  sent.resolve();
  await expect(asking).rejects.toThrow('too late');
});

test('a cancelled request aborts its handler', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await openReplica(workspace);
  await using two = await openReplica(workspace);
  const events: string[] = [];
  two.fleet.handle('wait', async (_params, { signal }) => {
    events.push('asked');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    events.push('aborted');
    return {};
  });
  const cancel = new AbortController();
  const waiting = one.fleet.request(String(two.fleet.replica), 'wait', {}, { signal: cancel.signal });
  await waitFor(() => events.includes('asked'), { what: 'the request' });
  cancel.abort(new Error('no longer needed'));
  await expect(waiting).rejects.toThrow('no longer needed');
  await waitFor(() => events.includes('aborted'), { what: 'the cancellation' });
});

test('all other replicas get a broadcast, and their answers can be gathered', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await openReplica(workspace, { gatherMs: 60_000 });
  await using two = await openReplica(workspace);
  await using three = await openReplica(workspace);
  const heard: string[] = [];
  for (const [name, { fleet }] of Object.entries({ one, two, three })) {
    fleet.handle('hear', async () => {
      heard.push(name);
      return { name };
    });
  }
  expect((await one.fleet.gather('hear', {})).map(({ result }) => result.name).sort()).toEqual(['three', 'two']);
  await one.fleet.broadcast('hear', {});
  await waitFor(() => heard.length === 4, { what: 'the broadcast' });
  expect(heard).not.toContain('one');
  expect((await one.fleet.replicas()).map(({ id }) => id).sort()).toEqual(
    [one, two, three].map(({ fleet }) => String(fleet.replica)).sort(),
  );
});

test('messages are encrypted in the database; those that a lost replica has not read can be taken back, and it never reads them', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await openReplica(workspace);
  const two = await workspace.open({ leaseMs: 600_000 });
  const target = String(two.fleet?.replica);
  expect(await one.storage.fleet?.send([{ target, body: { answer: 'a secret' } }])).toEqual([]);
  const [row] = await workspace.sql('select sealed from inbox');
  expect(JSON.stringify(row)).not.toContain('secret');
  expect(await two.fleet?.receive()).toEqual([{ answer: 'a secret' }]);
  expect(await two.fleet?.receive()).toEqual([]);
  await one.storage.fleet?.send([{ id: 'unread', target, body: {} }]);
  await workspace.sql(`update owners set expires_at = 0 where id = '${target}'`);
  await one.storage.audit.recover();
  expect(await two.fleet?.receive()).toEqual([]);
  expect(await one.storage.fleet?.takeBack('unread')).toBe(true);
  expect(await workspace.sql('select seq from inbox')).toEqual([]);
  expect(await one.storage.fleet?.send([{ target, body: {} }])).toEqual([target]);
  await two.close();
});

test('a process with its own database has no fleet', async () => {
  await using fleet = await openFleet({ store: undefined, log: silentLog });
  expect(fleet.replica).toBeUndefined();
  expect(await fleet.gather('hear', {})).toEqual([]);
  await fleet.broadcast('hear', {});
  await expect(fleet.request('other', 'hear', {})).rejects.toMatchObject({ code: 'GONE' });
});

test('a session of the app that ends on one replica is rejected by all, also by those that start later', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await openReplica(workspace);
  await using two = await openReplica(workspace);
  const sessionKey = Buffer.alloc(32, 1);
  const openSessions = async ({ fleet, storage }: Replica) => {
    const ended = createEndedSessions({ store: storage.endedSessions });
    fleet.onChange('ended_sessions', () => void ended.load());
    await ended.load();
    return createAppSessions({ sessionKey, ended });
  };
  const sessionsOfOne = await openSessions(one);
  const sessionsOfTwo = await openSessions(two);
  const session = sessionsOfOne.open({ kind: 'admin' });
  expect(sessionsOfTwo.find(session)).toEqual({ kind: 'admin' });
  await sessionsOfOne.end(session);
  await waitFor(() => sessionsOfTwo.find(session) === undefined, { what: 'the end of the session' });
  await using three = await openReplica(workspace);
  expect((await openSessions(three)).find(session)).toBeUndefined();
});

describe('the events of all replicas', () => {
  const silent = { on: () => () => {}, catalog: { entries: [] } };
  const sources = { toolbox: silent, approver: silent, hosts: silent, questions: silent } as unknown as EventSources;
  const ownership = { loadOwner: async () => {} } as unknown as Ownership;

  async function openEvents({ fleet, storage }: Replica, reportAgeMs = 0): Promise<EventLog & Disposable> {
    const store = storage.fleet as FleetStore;
    const seen = { ...fleet, reportAgeMs };
    const events = await openSharedEventLog({ sources, store, fleet: seen, ownership, log: silentLog });
    return { ...events, [Symbol.dispose]: events.close };
  }

  const publish = (events: EventLog, server: string) =>
    events.publish({ name: 'server.added', data: { server }, audience: { kind: 'everyone' } });

  function listen(events: EventLog) {
    const servers: unknown[] = [];
    const stop = events.listen(({ data }: NumberedEvent) => void servers.push((data as { server: string }).server));
    return { servers, stop };
  }

  const countStored = async (workspace: PostgresWorkspace) =>
    Number((await workspace.sql('select count(*) as count from events'))[0]?.count);

  test('events are stored from the moment at which a client of any replica listens', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using one = await openReplica(workspace, { gatherMs: patienceMs });
    await using two = await openReplica(workspace);
    using eventsOfOne = await openEvents(one);
    using eventsOfTwo = await openEvents(two);
    const before = await eventsOfOne.opened();
    publish(eventsOfTwo, 'unheard');
    const { servers, stop } = listen(eventsOfOne);
    const ready = await eventsOfOne.opened();
    publish(eventsOfTwo, 'heard');
    await waitFor(() => servers.length > 0, { what: 'the event' });
    expect(servers).toEqual(['heard']);
    // Nobody may reconnect as if there had been no event before.
    expect(await eventsOfTwo.since(before)).toBeUndefined();
    expect(await eventsOfTwo.since(ready)).toMatchObject([{ data: { server: 'heard' } }]);
    stop();
    publish(eventsOfTwo, 'missed');
    await waitFor(async () => (await countStored(workspace)) === 2, { what: 'the event without a listener' });
    await using three = await openReplica(workspace);
    using eventsOfThree = await openEvents(three);
    const again = listen(eventsOfThree);
    await eventsOfThree.opened();
    const missed = await eventsOfThree.since(ready);
    expect(missed?.map(({ data }) => data)).toEqual([{ server: 'heard' }, { server: 'missed' }]);
    publish(eventsOfTwo, 'last');
    await waitFor(() => again.servers.length > 0, { what: 'the event after the second listener' });
    expect(again.servers).toEqual(['last']);
  });

  test('a replica that has not read changes for long stores its events', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    await using one = await openReplica(workspace);
    using events = await openEvents(one, 2_001);
    publish(events, 'unknown');
    await waitFor(async () => (await countStored(workspace)) === 1, { what: 'the event' });
  });

  test('listeners are told to reload when the database can be reached again', async () => {
    using workspace = await createPostgresWorkspace(postgres);
    let isAway = true;
    await using one = await openReplica(workspace);
    const store = one.storage.fleet as FleetStore;
    const recordListening = (ms: number) => (isAway ? Promise.reject(new Error('away')) : store.recordListening(ms));
    const log = await openSharedEventLog({
      ...{ sources, ownership, fleet: one.fleet, log: silentLog },
      store: { ...store, recordListening },
    });
    const names: string[] = [];
    log.listen(({ name }) => void names.push(name));
    await log.opened();
    isAway = false;
    await waitFor(() => names.includes('reset'), { what: 'the reset' });
    log.close();
  });
});
