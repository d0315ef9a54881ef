import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { messageOf } from '../../../../contract/errors.ts';
import type { JsonObject } from '../../../../contract/json.ts';
import { backoffMs } from '../../../../toolwharf/kernel/backoff.ts';
import { parseExactly, toJsonText } from '../../../../toolwharf/kernel/exact-json.ts';
import type { Log } from '../../../../toolwharf/kernel/log.ts';
import { parseRecord } from '../../../../toolwharf/storage/call-records.ts';
import type {
  AwaitingCall,
  FleetHints,
  FleetStore,
  PlacementStore,
} from '../../../../toolwharf/storage/ports/fleet-store.ts';
import type { Sealer } from '../../../../toolwharf/storage/sealer.ts';
import { toIndexText } from '../chain/call-columns.ts';
import type { Database } from '../sql/engine.ts';
import { databaseNow, type PostgresLease } from './lease.ts';
import { createPostgresLimits } from './postgres-limits.ts';

export interface PostgresFleetOptions {
  readonly db: Database;
  readonly url: string;
  readonly ownership: PostgresLease;
  readonly sealer: Sealer;
  readonly log: Log;
}

const channel = 'toolwharf';
const receiveBatch = 500;

/** The shared state of replicas, in the tables of their Postgres database. */
export function createPostgresFleet({ db, url, ownership, sealer, log }: PostgresFleetOptions): FleetStore {
  const { id: replica, lease } = ownership;

  /** Never in a transaction: one that notifies waits for all others that do. */
  async function hint(about?: 'permits'): Promise<void> {
    const payload = about === undefined ? replica : `${replica} ${about}`;
    await sql`select pg_notify(${channel}, ${payload})`.execute(db);
  }

  return {
    replica,
    lease,
    limits: createPostgresLimits(db, replica),
    placements: createPostgresPlacements(db, replica),
    hint,
    async describe(facts) {
      ownership.facts = JSON.stringify(facts);
      await db.updateTable('owners').set({ facts: ownership.facts }).where('id', '=', replica).execute();
    },
    async replicas() {
      const rows = await db
        .selectFrom('owners')
        .select(['id', 'pid', 'host', 'facts', sql<number>`expires_at - ${databaseNow}`.as('leaseMs')])
        .where('expires_at', '>=', databaseNow)
        .orderBy('id')
        .execute();
      return rows.map((row) => ({ ...row, facts: JSON.parse(row.facts) }));
    },
    async ownerOfCall(id) {
      const row = await db
        .selectFrom('calls')
        .innerJoin('owners', 'owners.id', 'calls.owner')
        .select('owners.id')
        .where('calls.id', '=', toIndexText(id))
        .where('owners.expires_at', '>=', databaseNow)
        .executeTakeFirst();
      return row?.id;
    },
    async awaitingCalls() {
      const rows = await db
        .selectFrom('calls')
        .innerJoin('steps', 'steps.seq', 'calls.seq')
        .select(['steps.body', 'calls.owner'])
        .where(sql<boolean>`calls.status <> 'success'`)
        .where('calls.status', '=', 'pending')
        .where(({ eb, or, not, exists, selectFrom }) =>
          or([
            eb('calls.owner', '=', replica),
            not(
              exists(
                selectFrom('owners')
                  .select('owners.id')
                  .whereRef('owners.id', '=', 'calls.owner')
                  .where('owners.expires_at', '>=', databaseNow),
              ),
            ),
          ]),
        )
        .orderBy('calls.seq')
        .limit(receiveBatch)
        .execute();
      return rows
        .map(({ body, owner }): AwaitingCall => ({ record: parseRecord(body), isOwn: owner === replica }))
        .filter(({ record: { awaiting } }) => awaiting);
    },
    async ownerOfConversation(id) {
      const row = await db
        .selectFrom('conversations')
        .innerJoin('owners', 'owners.id', 'conversations.process')
        .select('owners.id')
        .where('conversations.id', '=', id)
        .where('conversations.status', '!=', 'idle')
        .where('owners.expires_at', '>=', databaseNow)
        .executeTakeFirst();
      return row?.id;
    },
    async revisions() {
      const rows = await db.selectFrom('revisions').select(['topic', 'revision']).execute();
      return new Map(rows.map(({ topic, revision }) => [topic, revision]));
    },
    async send(messages) {
      if (messages.length === 0) return [];
      const alive = await db
        .selectFrom('owners')
        .select('id')
        .where('expires_at', '>=', databaseNow)
        .where(
          'id',
          'in',
          messages.map(({ target }) => target),
        )
        .execute();
      const known = new Set(alive.map(({ id }) => id));
      const rows = messages
        .filter(({ target }) => known.has(target))
        .map(({ id = randomUUID(), target, body }) => {
          return { id, target, sealed: sealer.seal(toJsonText(body), messageContext(id)) };
        });
      if (rows.length > 0) {
        await db.insertInto('inbox').values(rows).execute();
        await hint();
      }
      return messages.map(({ target }) => target).filter((target) => !known.has(target));
    },
    async takeBack(id) {
      const { numDeletedRows } = await db.deleteFrom('inbox').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async receive() {
      const { rows } = await sql<{ seq: number; id: string; sealed: string }>`
        delete from inbox where seq in (
          select seq from inbox where target = ${replica} order by seq limit ${receiveBatch}
        ) returning seq, id, sealed`.execute(db);
      return rows
        .sort((one, other) => one.seq - other.seq)
        .map(({ id, sealed }) => parseExactly(sealer.open(sealed, messageContext(id))) as JsonObject);
    },
    async appendEvents(bodies) {
      // The updated row is locked until the events are visible, so that their numbers are in the order of the commits.
      await sql`
        with head as (
          update revisions set revision = revision + ${bodies.length} where topic = 'events' returning revision
        )
        insert into events (seq, at, body)
        select head.revision - ${bodies.length} + added.number, ${databaseNow}, added.body
        from head, unnest(${bodies as string[]}::text[]) with ordinality as added (body, number)`.execute(db);
      await hint();
    },
    readEvents: (after, limit) =>
      db.selectFrom('events').select(['seq', 'body']).where('seq', '>', after).orderBy('seq').limit(limit).execute(),
    async lastEvent() {
      const head = db.selectFrom('revisions').select('revision').where('topic', '=', 'events');
      return (await head.executeTakeFirstOrThrow()).revision;
    },
    async recordListening(idleMs) {
      const { rows } = await sql<{ lastEvent: number; wasIdle: boolean }>`
        with before as (
          select ${databaseNow} - revision > ${idleMs}::bigint as idle from revisions where topic = 'listeners' for update
        ), recorded as (
          update revisions set revision = greatest(revision, ${databaseNow}) where topic = 'listeners'
        )
        update revisions set revision = revision + before.idle::int from before where topic = 'events'
        returning revision as "lastEvent", before.idle as "wasIdle"`.execute(db);
      await hint();
      return rows[0] as (typeof rows)[number];
    },
    async sinceListening() {
      const since = sql<number>`${databaseNow} - revision`.as('ms');
      const listeners = db.selectFrom('revisions').select(since).where('topic', '=', 'listeners');
      return (await listeners.executeTakeFirstOrThrow()).ms;
    },
    async removeEvents(olderThanMs) {
      await db.deleteFrom('events').where('at', '<', sql<number>`${databaseNow} - ${olderThanMs}::bigint`).execute();
    },
    listen: (listener) => listenForHints(url, replica, listener, log),
  };
}

function messageContext(id: string): string {
  return `inbox/${id}`;
}

/** Listens on a dedicated connection, and opens a new one when that connection is lost. */
function listenForHints(url: string, replica: string, listener: (about?: 'permits') => void, log: Log): FleetHints {
  let client: pg.Client | undefined;
  let isLive = false;
  let failures = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  function retry(cause: unknown): void {
    isLive = false;
    client?.end().catch(() => {});
    client = undefined;
    if (isClosed || timer) return;
    failures++;
    log.debug('fleet.not-listening', `Notifications of the database are not received: ${messageOf(cause)}`);
    timer = setTimeout(() => {
      timer = undefined;
      void open();
    }, backoffMs(failures)).unref();
  }

  async function open(): Promise<void> {
    const opened = new pg.Client({ connectionString: url, application_name: 'toolwharf', keepAlive: true });
    client = opened;
    opened.on('error', retry);
    opened.on('end', () => {
      if (client === opened) retry(new Error('the connection ended'));
    });
    opened.on('notification', ({ payload }) => {
      // The first one is our own: a pooler that forwards no notifications would not have delivered it.
      isLive = true;
      failures = 0;
      const [from, about] = (payload ?? '').split(' ');
      if (from !== replica) listener(about === 'permits' ? about : undefined);
    });
    try {
      await opened.connect();
      await opened.query(`listen ${channel}`);
      await opened.query('select pg_notify($1, $2)', [channel, replica]);
      if (isClosed) await opened.end();
    } catch (cause) {
      retry(cause);
    }
  }

  const opening = open();
  return {
    get isLive() {
      return isLive;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(timer);
      await opening;
      const last = client;
      client = undefined;
      await last?.end().catch(() => {});
    },
  };
}

/** Owners of servers, in a table. The term decides between replicas that take a server at the same time. */
function createPostgresPlacements(db: Database, replica: string): PlacementStore {
  const isHeld = sql<boolean>`exists (
    select from owners
    where owners.id = placements.replica and owners.epoch = placements.epoch and owners.expires_at >= ${databaseNow}
  )`;
  return {
    async list() {
      return db
        .selectFrom('placements')
        .select(['server', 'replica', 'term', isHeld.as('isHeld')])
        .execute();
    },
    async take(server, term, epoch) {
      const { rows } = await sql<{ term: number }>`
        insert into placements (server, replica, epoch, term)
        select ${server}, owners.id, owners.epoch, ${term + 1}::bigint from owners
        where owners.id = ${replica} and owners.epoch = ${epoch} and owners.expires_at >= ${databaseNow}
        on conflict (server) do update set replica = excluded.replica, epoch = excluded.epoch, term = excluded.term
        where placements.term = ${term} and (placements.replica = ${replica} or not ${isHeld})
        returning term`.execute(db);
      return rows[0]?.term;
    },
    async release(server, term) {
      await db
        .updateTable('placements')
        .set({ replica: '', epoch: 0, term: term + 1 })
        .where('server', '=', server)
        .where('replica', '=', replica)
        .where('term', '=', term)
        .execute();
    },
  };
}
