import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** A function that appends a batch to the journal in one round trip. SQLite has no round trips. */
export const appendFunction: Migration = {
  version: 15,
  name: 'append-steps',
  async up(db, { bigint }) {
    if (bigint === 'bigint') await sql.raw(appendSteps).execute(db);
  },
};

/**
 * Links the steps to the chain, as `linkSteps` does, and returns for each what became of it. A step with an epoch is written only
 * if the process has the lease of that epoch, which stays so until the commit. The end of a call is not written while the call
 * is open and belongs to another process. A step before the end is not written after the end: a statement that the process no longer
 * waits for may be executed late.
 */
export const appendSteps = `create or replace function toolwharf_append_steps(
  process text, epochs bigint[], call_ids text[], call_ids_json text[], ats text[], bodies text[], summaries text[],
  ids text[], servers text[], tools text[], original_names text[], callers text[], parents text[], statuses text[],
  times bigint[]
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
      insert into calls (id, seq, first_seq, owner, server, tool, original_name, caller, parent, status, created_at)
        values (ids[i], last_seq + 1, last_seq + 1, process, servers[i], tools[i], original_names[i], callers[i],
          parents[i], statuses[i], times[i])
        on conflict (id) do update set seq = excluded.seq, owner = excluded.owner, server = excluded.server,
          tool = excluded.tool, original_name = excluded.original_name, caller = excluded.caller,
          parent = excluded.parent, status = excluded.status, created_at = excluded.created_at
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
