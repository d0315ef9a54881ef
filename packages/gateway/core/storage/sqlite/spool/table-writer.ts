import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { parseRecord, summaryOf } from '../../../../../toolwharf/storage/call-records.ts';
import { callColumns } from '../../chain/call-columns.ts';
import { linkSteps } from '../../chain/chain.ts';
import type { PinRow } from '../../sql/tables.ts';
import type { Segment, SpooledStep } from './spool-frame.ts';

export interface SegmentSteps {
  readonly segment?: Segment;
  readonly steps: readonly SpooledStep[];
}

/** Writes steps from the spool to the journal and the list of calls. Idempotent: each step is written once. */
export interface TableWriter {
  /** Returns how many segments had the current token; others are ignored. */
  write(segments: readonly SegmentSteps[]): number;
  /** Starts a new sequence of segments, from number 1, and returns its token. */
  renewToken(): string;
}

/** Progress of the tables: all segments before this one, and this one up to a step. Stored in the same transactions. */
interface Position extends Segment {
  readonly steps: number;
}

export function createTableWriter(database: DatabaseSync): TableWriter {
  const readPosition = database.prepare('select value from meta where name = ?');
  const writePosition = database.prepare(
    'insert into meta (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  );
  const append = createAppend(database);

  function position(): Position | undefined {
    const row = readPosition.get(positionName);
    return row && JSON.parse(String(row.value));
  }

  function writeSegment(segment: Segment, steps: readonly SpooledStep[], from: number): void {
    const last = new Map(steps.map(({ callId }, at) => [callId, at]));
    // Only the latest step of each call is written; earlier ones of the same segment are superseded.
    const written = steps
      .map((step, at) => ({ step, at }))
      .filter(({ step, at }) => at >= from && last.get(step.callId) === at);
    for (let start = 0; start < written.length; start += batch) {
      const part = written.slice(start, start + batch);
      const isLast = start + batch >= written.length;
      // The file is reused after the last batch, so that batch must be on the disk; it syncs the earlier ones too.
      database.exec(`PRAGMA synchronous = ${isLast ? 'FULL' : 'NORMAL'}`);
      transact(database, () => {
        append(part.map(({ step }) => step));
        const done: Position = { ...segment, steps: isLast ? steps.length : (part.at(-1)?.at ?? 0) + 1 };
        writePosition.run(positionName, JSON.stringify(done));
      });
      // Gives other writers time to get the lock: they poll for it.
      if (!isLast) Atomics.wait(pause, 0, 0, pauseMs);
    }
  }

  return {
    write(segments) {
      const known = position();
      const ours = segments.flatMap(({ segment, steps }) =>
        segment && segment.token === known?.token ? [{ segment, steps }] : [],
      );
      for (const { segment, steps } of ours.sort((one, other) => one.segment.number - other.segment.number)) {
        if (!known || segment.number < known.number) continue;
        writeSegment(segment, steps, segment.number === known.number ? known.steps : 0);
      }
      return ours.length;
    },
    renewToken() {
      const { token, position: start } = createToken();
      database.exec('PRAGMA synchronous = FULL');
      writePosition.run(positionName, start);
      return token;
    },
  };
}

/** A token for a new sequence of segments, and the position before its first segment. */
export function createToken(): { readonly token: string; readonly position: string } {
  const token = randomBytes(8).toString('hex');
  return { token, position: JSON.stringify({ token, number: 0, steps: 0 } satisfies Position) };
}

/** Adds or replaces pins in one transaction. */
export function createPinWriter(database: DatabaseSync): (rows: readonly PinRow[]) => void {
  const insert = database.prepare(`
    insert into pins (key, server_key, tool, hash, suffixed, is_new, accepted_at, body) values (?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (key) do update set hash = excluded.hash, suffixed = excluded.suffixed,
      is_new = excluded.is_new, accepted_at = excluded.accepted_at, body = excluded.body
  `);
  return (rows) => {
    database.exec('PRAGMA synchronous = FULL');
    transact(database, () => {
      for (const { key, server_key, tool, hash, suffixed, is_new, accepted_at, body } of rows)
        insert.run(key, server_key, tool, hash, suffixed, is_new, accepted_at, body);
    });
  };
}

function transact(database: DatabaseSync, work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } catch (cause) {
    database.exec('rollback');
    throw cause;
  }
}

function createAppend(database: DatabaseSync): (steps: readonly SpooledStep[]) => void {
  const readHead = database.prepare('select head_seq, head_hash from chain where id = 1');
  const moveHead = database.prepare('update chain set head_seq = ?, head_hash = ? where id = 1');
  const insertStep = database.prepare(
    'insert into steps (seq, call_id, at, body, previous, hash) values (?, ?, ?, ?, ?, ?)',
  );
  const insertSummary = database.prepare('insert into summaries (seq, body) values (?, ?)');
  const insertCall = database.prepare(`
    insert into calls (id, seq, first_seq, owner, server, tool, original_name, caller, parent, status, created_at,
      outcome, duration_ms)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (id) do update set seq = excluded.seq, owner = excluded.owner, status = excluded.status,
      server = excluded.server, tool = excluded.tool, original_name = excluded.original_name, caller = excluded.caller,
      parent = excluded.parent, created_at = excluded.created_at, outcome = excluded.outcome,
      duration_ms = excluded.duration_ms
  `);
  // If the ended call is already listed, only its state changes, and only the indexes with the state are updated.
  const endCall = database.prepare(`
    update calls set seq = ?, owner = ?, status = ?, outcome = ?, duration_ms = ?
    where id = ? and server is ? and tool = ? and original_name = ? and caller = ? and parent is ? and created_at = ?
  `);

  return (steps) => {
    const { head_seq, head_hash } = readHead.get() as { head_seq: number; head_hash: string };
    const linked = linkSteps({ seq: head_seq, hash: head_hash }, steps);
    for (const [at, { seq, callId, at: time, body, previous, hash }] of linked.entries()) {
      insertStep.run(seq, callId, time, body, previous, hash);
      const record = parseRecord(body);
      const summary = summaryOf(record, body);
      if (summary !== undefined) insertSummary.run(seq, summary);
      const call = callColumns(record);
      const owner = steps[at]?.owner ?? '';
      const names = [call.server, call.tool, call.original_name, call.caller, call.parent];
      const ending = [call.outcome, call.duration_ms];
      if (call.status === 'success' || call.status === 'error') {
        const { changes } = endCall.run(seq, owner, call.status, ...ending, call.id, ...names, call.created_at);
        if (changes === 1) continue;
      }
      insertCall.run(call.id, seq, seq, owner, ...names, call.status, call.created_at, ...ending);
    }
    const last = linked.at(-1);
    if (last) moveHead.run(last.seq, last.hash);
  };
}

/** The name of the progress of the tables in `meta`. */
export const positionName = 'journal.spool';
const batch = 100;
const pauseMs = 1;
const pause = new Int32Array(new SharedArrayBuffer(4));
