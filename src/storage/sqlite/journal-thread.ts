// The thread that writes the journal: waiting for the disk must not keep the calls themselves waiting.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { linkSteps } from '../chain/chain-step.ts';
import { connectionSettings } from './connection-settings.ts';
import { type JournalReply, type JournalWrite, unpackSteps } from './journal-message.ts';

const database = new DatabaseSync(String(workerData));
database.exec(connectionSettings);
const begin = database.prepare('begin immediate');
const commit = database.prepare('commit');
const readHead = database.prepare('select head_seq, head_hash from chain where id = 1');
const moveHead = database.prepare('update chain set head_seq = ?, head_hash = ? where id = 1');
const insertStep = database.prepare(
  'insert into steps (seq, call_id, at, body, previous, hash) values (?, ?, ?, ?, ?, ?)',
);
const insertCall = database.prepare(`
  insert into calls (id, seq, first_seq, owner, server, tool, original_name, caller, status, created_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (id) do update set seq = excluded.seq, owner = excluded.owner, status = excluded.status,
    server = excluded.server, tool = excluded.tool, original_name = excluded.original_name, caller = excluded.caller,
    created_at = excluded.created_at
`);
// A call that ends is in the list already. Nothing but its state changes, and so only the indexes that hold its state.
const endCall = database.prepare(`
  update calls set seq = ?, owner = ?, status = ? where id = ? and server is ? and tool = ? and original_name = ?
    and caller = ? and created_at = ?
`);

let syncs = true;

parentPort?.on('message', ({ id, owner, sync, packed }: JournalWrite) => {
  const reply = write(owner, sync, packed);
  parentPort?.postMessage({ id, ...reply } satisfies JournalReply);
});
parentPort?.on('close', () => database.close());

function write(owner: string, sync: boolean, packed: JournalWrite['packed']): Omit<JournalReply, 'id'> {
  try {
    if (sync !== syncs) database.exec(`PRAGMA synchronous = ${sync ? 'FULL' : 'NORMAL'}`);
    syncs = sync;
    begin.run();
    try {
      append(owner, packed);
      commit.run();
    } catch (cause) {
      database.exec('rollback');
      throw cause;
    }
    return {};
  } catch (cause) {
    return { error: cause instanceof Error ? cause.message : String(cause) };
  }
}

function append(owner: string, packed: JournalWrite['packed']): void {
  const writes = unpackSteps(packed);
  const { head_seq, head_hash } = readHead.get() as { head_seq: number; head_hash: string };
  const steps = linkSteps({ seq: head_seq, hash: head_hash }, writes);
  for (const [at, { seq, callId, at: time, body, previous, hash }] of steps.entries()) {
    insertStep.run(seq, callId, time, body, previous, hash);
    const columns = writes[at]?.columns;
    if (!columns) continue;
    const { id, server, tool, original_name, caller, status, created_at } = columns;
    if (status === 'success' || status === 'error') {
      const { changes } = endCall.run(seq, owner, status, id, server, tool, original_name, caller, created_at);
      if (changes === 1) continue;
    }
    insertCall.run(id, seq, seq, owner, server, tool, original_name, caller, status, created_at);
  }
  const last = steps.at(-1);
  if (last) moveHead.run(last.seq, last.hash);
}
