import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The tables of common limits: epochs of leases, leased permits, rates, and failed sign-ins. */
export const limitTables: Migration = {
  version: 12,
  name: 'limits',
  async up(db, { bigint }) {
    const number = sql.raw<number>(bigint);
    await db.schema
      .alterTable('owners')
      .addColumn('epoch', number, (column) => column.notNull().defaultTo(0))
      .execute();
    // One process uses an SQLite file, and has its limits in memory.
    if (bigint !== 'bigint') return;
    await db.schema
      .alterTable('owners')
      .addColumn('permit_seq', number, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('permits')
      .addColumn('pool', 'text', (column) => column.notNull())
      .addColumn('replica', 'text', (column) => column.notNull())
      .addColumn('epoch', number, (column) => column.notNull())
      .addColumn('units', number, (column) => column.notNull())
      .addColumn('max_call_ms', number, (column) => column.notNull())
      .addColumn('until', number)
      .addPrimaryKeyConstraint('permits_key', ['pool', 'replica', 'epoch'])
      .execute();
    await db.schema.createIndex('permits_by_replica').on('permits').columns(['replica', 'epoch']).execute();
    await db.schema
      .createTable('permit_waiters')
      .addColumn('pool', 'text', (column) => column.notNull())
      .addColumn('replica', 'text', (column) => column.notNull())
      .addColumn('since', number, (column) => column.notNull())
      .addColumn('seen_at', number, (column) => column.notNull())
      .addPrimaryKeyConstraint('permit_waiters_key', ['pool', 'replica'])
      .execute();
    await db.schema
      .createTable('rates')
      .addColumn('server', 'text', (column) => column.primaryKey())
      .addColumn('last_number', number, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('rate_calls')
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('number', number, (column) => column.notNull())
      .addColumn('at', number, (column) => column.notNull())
      .addPrimaryKeyConstraint('rate_calls_key', ['server', 'number'])
      .execute();
    await db.schema
      .createTable('failed_sign_ins')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('failures', number, (column) => column.notNull())
      .addColumn('until', number, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('failed_sign_ins_by_end').on('failed_sign_ins').column('until').execute();
    for (const statement of [now, keepPermits, keepPermitsTrigger, syncPermits, takeRate]) {
      await sql.raw(statement).execute(db);
    }
  },
};

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
 * epoch is gone, or a later request was executed first.
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
      for need in select key as pool, value::bigint as max_units from jsonb_each_text(wish.pools) loop
        select coalesce(sum(units), 0) into used from permits where pool = need.pool;
        select coalesce(min(since), moment) into my_since
          from permit_waiters where pool = need.pool and replica = me;
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
