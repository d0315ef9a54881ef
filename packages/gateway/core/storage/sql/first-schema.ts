import { sql } from 'kysely';
import { fleetTopics } from '../../../../toolwharf/storage/ports/fleet-store.ts';
import type { Migration } from './engine.ts';

/** The tables of the first release. */
export const firstSchema: Migration = {
  version: 1,
  name: 'first-schema',
  async up(db, { bigint }) {
    const isPostgres = bigint === 'bigint';
    const statements = [...tables, ...indexes, ...(isPostgres ? postgresStatements : [])];
    for (const statement of statements) {
      const serial = isPostgres ? 'bigserial' : 'integer';
      await sql.raw(statement.replaceAll('NUMBER', bigint).replaceAll('SERIAL', serial)).execute(db);
    }
    for (const topic of fleetTopics)
      await sql`insert into revisions (topic, revision) values (${topic}, 0)`.execute(db);
    const none = '0'.repeat(64);
    await sql`insert into chain (id, head_seq, head_hash, anchor_seq, anchor_hash) values (1, 0, ${none}, 0, ${none})`.execute(
      db,
    );
  },
};

/** NUMBER is a whole number up to 2^53, and SERIAL one that the database assigns. */
const tables = [
  'create table meta (name text primary key, value text not null)',
  `create table owners (
    id text primary key, pid integer not null, host text not null, expires_at NUMBER not null,
    facts text not null default '{}', epoch NUMBER not null default 0
  )`,
  `create table chain (
    id integer primary key, head_seq NUMBER not null, head_hash text not null, anchor_seq NUMBER not null, anchor_hash text not null
  )`,
  `create table steps (
    seq NUMBER primary key, call_id text not null, at text not null, body text not null, previous text not null, hash text not null
  )`,
  `create table calls (
    id text primary key, seq NUMBER not null, first_seq NUMBER not null, owner text not null, server text, tool text not null,
    original_name text not null, caller text not null, parent text, status text not null, created_at NUMBER not null,
    outcome text not null, duration_ms NUMBER
  )`,
  'create table summaries (seq NUMBER primary key, body text not null)',
  `create table claims (
    key text primary key, fingerprint text not null, call_id text not null, claimed_at NUMBER not null, owner text, epoch NUMBER
  )`,
  `create table pins (
    key text primary key, server_key text not null, tool text not null, hash text not null, suffixed integer not null,
    accepted_at NUMBER not null, body text not null
  )`,
  `create table approvals (
    id text primary key, open_key text unique, caller text not null, status text not null, asked_at NUMBER not null,
    expires_at NUMBER not null, request text not null, summary text, answer text, answered_at text, answered_by text
  )`,
  `create table records (
    kind text not null, id text not null, name text not null, key text, revision NUMBER not null, used_at NUMBER,
    body text not null, primary key (kind, id), unique (kind, key)
  )`,
  `create table saved_requests (id text primary key, owner text not null, shared integer not null, body text not null)`,
  `create table oauth_records (
    server_key text not null, kind text not null, sealed text not null, primary key (server_key, kind)
  )`,
  `create table accounts (
    id text primary key, server text not null, owner text not null, state text not null, is_default integer not null,
    created_at NUMBER not null, sealed text not null
  )`,
  `create table conversations (
    id text primary key, owner text not null, process text not null, status text not null, updated_at NUMBER not null,
    body text not null
  )`,
  `create table messages (
    conversation text not null references conversations (id) on delete cascade, seq integer not null, id text not null,
    parent text, text text not null, body text not null, primary key (conversation, seq), unique (conversation, id)
  )`,
  `create table attachments (
    conversation text not null references conversations (id) on delete cascade, id text not null, size_bytes integer not null,
    data text not null, primary key (conversation, id)
  )`,
  'create table vectors (key text primary key, vector text not null, used_at NUMBER not null)',
  `create table ended_sessions (id text primary key, owner text not null, expires_at NUMBER not null, seq NUMBER not null)`,
  'create table revisions (topic text primary key, revision NUMBER not null)',
  'create table inbox (seq SERIAL primary key, id text not null, target text not null, sealed text not null)',
  'create table events (seq NUMBER primary key, at NUMBER not null, body text not null)',
  'create table locks (name text primary key, holder text not null, owner text not null, expires_at NUMBER not null)',
  'create table placements (server text primary key, replica text not null, epoch NUMBER not null, term NUMBER not null)',
];

const indexes = [
  // Each ends with the sort order of pages, so that a page is read without sorting.
  'create index calls_by_time on calls (created_at, first_seq)',
  'create index calls_by_server on calls (server, created_at, first_seq)',
  'create index calls_by_tool on calls (tool, created_at, first_seq)',
  'create index calls_by_original_name on calls (original_name, created_at, first_seq)',
  'create index calls_by_caller on calls (caller, created_at, first_seq)',
  // Most calls succeed, have no parent, and are only listed by time.
  "create index calls_by_status on calls (status, created_at, first_seq) where status <> 'success'",
  "create index calls_by_server_and_error on calls (server, created_at, first_seq) where status = 'error'",
  'create index calls_by_parent on calls (parent, created_at, first_seq) where parent is not null',
  'create index calls_by_seq on calls (seq)',
  // All columns by which calls are counted.
  'create index calls_by_counts on calls (created_at, tool, server, original_name, caller, outcome, duration_ms)',
  'create index claims_by_time on claims (claimed_at)',
  'create index claims_by_call on claims (call_id)',
  'create index pins_by_server on pins (server_key, key)',
  'create index approvals_by_time on approvals (asked_at, id)',
  'create index approvals_by_status on approvals (status, asked_at, id)',
  'create index approvals_by_caller on approvals (caller, asked_at, id)',
  'create index approvals_by_expiry on approvals (status, expires_at)',
  'create index saved_requests_by_owner on saved_requests (owner)',
  'create index saved_requests_shared on saved_requests (shared)',
  'create index accounts_by_owner on accounts (server, owner)',
  'create index conversations_by_time on conversations (updated_at, id)',
  'create index conversations_by_owner on conversations (owner, updated_at, id)',
  'create index conversations_by_status on conversations (status)',
  'create index vectors_by_use on vectors (used_at, key)',
  'create index ended_sessions_by_seq on ended_sessions (seq)',
  'create index ended_sessions_by_expiry on ended_sessions (expires_at)',
  'create index ended_sessions_by_owner on ended_sessions (owner, expires_at)',
  'create index inbox_by_target on inbox (target, seq)',
  'create index events_by_time on events (at)',
];

const now = `create function toolwharf_now() returns bigint language sql volatile as $$
  select cast(extract(epoch from clock_timestamp()) * 1000 as bigint)
$$`;

/**
 * The calls of a lost replica may still run at their servers. Its permits stay in use for the time limit of those calls. A
 * trigger, so that no version of Toolwharf that removes the replica can forget it.
 */
const keepPermits = `create function toolwharf_keep_permits() returns trigger language plpgsql as $$
  begin
    update permits set until = toolwharf_now() + max_call_ms where replica = old.id and until is null;
    delete from permit_waiters where replica = old.id;
    return null;
  end $$`;
const keepPermitsTrigger = `create trigger owners_keep_permits after delete on owners
  for each row execute function toolwharf_keep_permits()`;

/**
 * Returns and leases permits of one replica. \`held\` is what it keeps: [{pool, units, max_call_ms, max_units}]. \`wanted\` is what it
 * lacks: [{pools: {pool: limit}, count, max_call_ms}]; all pools of an entry are granted together or not at all. A limit that was
 * lowered may be exceeded by units that are held: \`max_units\` is then the share of each replica. Null if the lease of the
 * epoch is gone, or a later request was executed first. \`lacking\` are the pools without units for the replica.
 */
const syncPermits = `create function toolwharf_sync_permits(
    me text, my_epoch bigint, my_seq bigint, held jsonb, wanted jsonb
  ) returns jsonb language plpgsql as $$
  declare
    moment bigint;
    wish record;
    need record;
    my_since bigint;
    used bigint;
    earlier bigint;
    later bigint;
    free bigint;
    share bigint;
    amount bigint;
    granted jsonb := '{}';
    lacking text[] := '{}';
    is_waiting boolean := false;
  begin
    update owners set permit_seq = my_seq where id = me and epoch = my_epoch and permit_seq < my_seq;
    if not found then
      return null;
    end if;
    perform pg_advisory_xact_lock(hashtextextended('toolwharf permits ' || current_schema(), 0));
    moment := toolwharf_now();
    delete from permits where until <= moment;
    delete from permit_waiters where seen_at < moment - 5000;

    update permits set units = kept.units, max_call_ms = greatest(permits.max_call_ms, kept.max_call_ms)
      from jsonb_to_recordset(held) as kept (pool text, units bigint, max_call_ms bigint)
      where permits.pool = kept.pool and replica = me and epoch = my_epoch
        and (permits.units > kept.units or permits.max_call_ms < kept.max_call_ms);
    delete from permits where replica = me and epoch = my_epoch and pool not in (
      select kept.pool from jsonb_to_recordset(held) as kept (pool text, units bigint) where kept.units > 0
    );

    for wish in
      select * from jsonb_to_recordset(wanted) as wish (pools jsonb, count bigint, max_call_ms bigint)
    loop
      amount := wish.count;
      -- One time for all pools: two replicas of which each came first for another pool would block each other for ever.
      select coalesce(min(since), moment) into my_since
        from permit_waiters where replica = me and wish.pools ? pool;
      for need in select key as pool, value::bigint as max_units from jsonb_each_text(wish.pools) loop
        select coalesce(sum(units), 0) into used from permits where pool = need.pool;
        select count(*) filter (where since < my_since), count(*) filter (where since >= my_since) into earlier, later
          from permit_waiters where pool = need.pool and replica <> me;
        free := need.max_units - used - earlier;
        if free < 1 then
          lacking := lacking || need.pool;
          amount := 0;
        else
          share := greatest(1, free / (later + 1));
          amount := least(amount, share);
        end if;
      end loop;
      if amount > 0 then
        insert into permits (pool, replica, epoch, units, max_call_ms)
          select key, me, my_epoch, amount, wish.max_call_ms from jsonb_each_text(wish.pools)
          on conflict (pool, replica, epoch) do update
            set units = permits.units + amount, max_call_ms = greatest(permits.max_call_ms, excluded.max_call_ms);
        select granted || jsonb_object_agg(key, coalesce((granted ->> key)::bigint, 0) + amount) into granted
          from jsonb_each_text(wish.pools);
        -- Whoever got a permit waits behind the others for the next one.
        update permit_waiters set since = moment where replica = me and wish.pools ? pool;
      end if;
      if amount > 0 and amount < wish.count then
        lacking := lacking || array(
          select key from jsonb_each_text(wish.pools)
          where value::bigint <= (select sum(units) from permits where pool = key)
        );
      end if;
    end loop;

    delete from permit_waiters where replica = me and pool <> all (lacking);
    with added as (
      insert into permit_waiters (pool, replica, since, seen_at)
        select distinct pool, me, moment, moment from unnest(lacking) as lacked (pool)
        on conflict (pool, replica) do update set seen_at = excluded.seen_at
        returning since = moment as is_new
    )
    select coalesce(bool_or(is_new), false) into is_waiting from added;
    return jsonb_build_object(
      'granted', granted,
      'isNewWaiter', is_waiting,
      'lacking', to_jsonb(lacking),
      'waiters', (
        select coalesce(jsonb_object_agg(pool, replicas), '{}') from (
          select pool, count(*) as replicas from permit_waiters where replica <> me and pool in (
            select pool from permits where replica = me and epoch = my_epoch
          ) group by pool
        ) as waiting
      ),
      'maxUnits', (
        select coalesce(jsonb_object_agg(pool, max_units), '{}') from (
          select kept.pool, min(kept.max_units) / count(*) as max_units
            from jsonb_to_recordset(held) as kept (pool text, max_units bigint)
            join permits on permits.pool = kept.pool
            group by kept.pool having sum(permits.units) > min(kept.max_units)
        ) as exceeded
      )
    );
  end $$`;

/** Accepts a call of a rate-limited server and returns 0, or returns the milliseconds until one can be accepted. */
const takeRate = `create function toolwharf_take_rate(name text, max_calls bigint, per_ms bigint)
  returns bigint language plpgsql as $$
  declare
    last bigint;
    blocking bigint;
    moment bigint;
  begin
    insert into rates (server, last_number) values (name, 0) on conflict do nothing;
    select last_number into last from rates where server = name for update;
    moment := toolwharf_now();
    -- A clock that was set back must not block the server for the length of the jump.
    update rate_calls set at = moment where server = name and at > moment;
    select at into blocking from rate_calls where server = name and number = last - max_calls + 1;
    if blocking > moment - per_ms then
      return blocking + per_ms - moment;
    end if;
    update rates set last_number = last + 1 where server = name;
    insert into rate_calls (server, number, at) values (name, last + 1, moment);
    delete from rate_calls where server = name and number <= last + 1 - max_calls;
    return 0;
  end $$`;

/**
 * Links the steps to the chain, as `linkSteps` does, and returns for each what became of it. A step with an epoch is written only
 * if the process has the lease of that epoch, which stays so until the commit. The end of a call is not written while the call
 * is open and belongs to another process. A step before the end is not written after the end: a statement that the process no longer
 * waits for may be executed late.
 */
const appendSteps = `create function toolwharf_append_steps(
  process text, epochs bigint[], call_ids text[], call_ids_json text[], ats text[], bodies text[], summaries text[],
  ids text[], servers text[], tools text[], original_names text[], callers text[], parents text[], statuses text[],
  times bigint[], outcomes_of_calls text[], durations bigint[]
) returns text[] language plpgsql as $$
declare
  last_seq bigint;
  last_hash text;
  held bigint;
  next_hash text;
  outcomes text[] := '{}';
begin
  -- Commits must be on disk even if the database is configured otherwise, and a pooler may not keep the settings of a session.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  select head_seq, head_hash into last_seq, last_hash from chain where id = 1 for update;
  -- The row cannot be removed before the commit. Renewing it is not blocked.
  select owners.epoch into held from owners where owners.id = process for key share;
  for i in 1 .. cardinality(bodies) loop
    if epochs[i] is not null and epochs[i] is distinct from held then
      outcomes[i] := 'lost';
      continue;
    end if;
    if ids[i] is not null then
      insert into calls (id, seq, first_seq, owner, server, tool, original_name, caller, parent, status, created_at,
          outcome, duration_ms)
        values (ids[i], last_seq + 1, last_seq + 1, process, servers[i], tools[i], original_names[i], callers[i],
          parents[i], statuses[i], times[i], outcomes_of_calls[i], durations[i])
        on conflict (id) do update set seq = excluded.seq, owner = excluded.owner, server = excluded.server,
          tool = excluded.tool, original_name = excluded.original_name, caller = excluded.caller,
          parent = excluded.parent, status = excluded.status, created_at = excluded.created_at,
          outcome = excluded.outcome, duration_ms = excluded.duration_ms
        where case when calls.status in ('pending', 'running')
          then epochs[i] is not null or calls.owner = process
          else excluded.status not in ('pending', 'running')
        end;
      if not found then
        outcomes[i] := (
          select case when status in ('pending', 'running') then 'foreign' else 'ended' end from calls where id = ids[i]
        );
        continue;
      end if;
    end if;
    outcomes[i] := 'written';
    last_seq := last_seq + 1;
    next_hash := encode(sha256(convert_to(
      '["' || last_hash || '",' || last_seq || ',' || call_ids_json[i] || ',"' || ats[i] || '"]' || chr(10) || bodies[i],
      'UTF8'
    )), 'hex');
    insert into steps (seq, call_id, at, body, previous, hash)
      values (last_seq, call_ids[i], ats[i], bodies[i], last_hash, next_hash);
    last_hash := next_hash;
    if summaries[i] is not null then
      insert into summaries (seq, body) values (last_seq, summaries[i]);
    end if;
  end loop;
  update chain set head_seq = last_seq, head_hash = last_hash where id = 1;
  return outcomes;
end $$`;

/** Each change of a table raises the revision of the topic with the same name. */
const raiseRevision = `create function toolwharf_raise_revision() returns trigger language plpgsql as $$
  begin
    update revisions set revision = revision + 1 where topic = tg_table_name;
    return null;
  end $$`;
/** Each change of a record raises the revision of its kind. The time of the last use is no change. */
const raiseKinds = `create function toolwharf_raise_kinds() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' then
      update revisions set revision = revision + 1 where topic in (
        select kind from changed join before using (kind, id) where changed.revision <> before.revision
      );
    else
      update revisions set revision = revision + 1 where topic in (select kind from changed);
    end if;
    return null;
  end $$`;
const revisionTriggers = [
  ...['records_added after insert on records referencing new table as changed'],
  ...['records_removed after delete on records referencing old table as changed'],
  ...['records_changed after update on records referencing new table as changed old table as before'],
].map((trigger) => `create trigger ${trigger} for each statement execute function toolwharf_raise_kinds()`);
const tableTriggers = [
  'pins_revision after insert or update or delete on pins for each statement',
  'accounts_revision after insert or update or delete on accounts for each statement',
  'placements_revision after insert or update on placements for each statement',
  // Other records change while a person signs in. Replicas do not follow those changes.
  "oauth_records_revision after insert or update on oauth_records for each row when (new.kind = 'tokens')",
].map((trigger) => `create trigger ${trigger} execute function toolwharf_raise_revision()`);

/** One process uses an SQLite file: it has its limits in memory, and nobody reads its revisions. */
const postgresStatements = [
  'alter table owners add column permit_seq NUMBER not null default 0',
  `create table permits (
    pool text not null, replica text not null, epoch NUMBER not null, units NUMBER not null, max_call_ms NUMBER not null,
    until NUMBER, primary key (pool, replica, epoch)
  )`,
  'create index permits_by_replica on permits (replica, epoch)',
  `create table permit_waiters (
    pool text not null, replica text not null, since NUMBER not null, seen_at NUMBER not null, primary key (pool, replica)
  )`,
  'create table rates (server text primary key, last_number NUMBER not null)',
  `create table rate_calls (
    server text not null, number NUMBER not null, at NUMBER not null, primary key (server, number)
  )`,
  'create table failed_sign_ins (key text primary key, failures NUMBER not null, until NUMBER not null)',
  'create index failed_sign_ins_by_end on failed_sign_ins (until)',
  ...[now, keepPermits, keepPermitsTrigger, syncPermits, takeRate, appendSteps],
  ...[raiseRevision, raiseKinds, ...revisionTriggers, ...tableTriggers],
];
