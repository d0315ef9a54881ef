import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwharfError } from '../kernel/errors.ts';
import type { ToolResult } from '../kernel/tool.ts';
import { abortable } from '../kernel/wait.ts';
import type { RunningCall, RunningCalls } from './call.ts';
import type { CallRecord } from './call-record.ts';
import type { Journal, KeyClaim } from './journal.ts';
import { recordedResult } from './shape-result.ts';

export interface IdempotencyPorts {
  readonly journal: Journal;
  readonly calls: Pick<RunningCalls, 'find'>;
}

/**
 * Runs a call once for its idempotency key. A repeated call gets the result of the first: while that runs, after it has
 * ended, and after a restart. If the first was never made, since its process is gone, the repeated call is made.
 * Rejects with `IDEMPOTENCY_CONFLICT` when the key belongs to another tool or other arguments.
 */
export async function runOnce(
  call: RunningCall,
  claim: KeyClaim,
  { journal, calls }: IdempotencyPorts,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  for (let unrecorded = 0; ; await sleep(pollMs, undefined, { signal: call.signal })) {
    const claiming = journal.claim(claim);
    call.claimed = claiming.then(
      (earlier) => !earlier,
      () => false,
    );
    const first = await claiming;
    if (!first) return run();
    if (first.fingerprint !== claim.fingerprint) {
      const message = 'This idempotency key was used for another call: use a new key, or the same tool and arguments';
      throw new ToolwharfError('IDEMPOTENCY_CONFLICT', message);
    }
    const running = calls.find(first.callId);
    // A repeated call may carry the id of the first, which has ended then.
    if (running && running !== call) return abortable(running.result, call.signal);
    const record = await waitForEnd(first.callId, journal, call.signal);
    const recorded = record && recordedResult(record);
    if (recorded) return recorded;
    if (record || !journal.isShared || ++unrecorded > maxUnrecordedPolls) throw noResult(record);
  }
}

const pollMs = 250;
/** A process that claimed the key records its call a moment later, or its lease expires. */
const maxUnrecordedPolls = 240;

/** Waits for the end of a call that another process may make. Undefined if it is not recorded. */
async function waitForEnd(
  id: string,
  journal: Pick<Journal, 'get' | 'isShared'>,
  signal: AbortSignal,
): Promise<CallRecord | undefined> {
  for (; ; await sleep(pollMs, undefined, { signal })) {
    const record = await journal.get(id);
    if (!journal.isShared || !record || (record.status !== 'pending' && record.status !== 'running')) return record;
  }
}

function noResult(record: CallRecord | undefined): ToolwharfError {
  if (record?.error && record.end !== 'tool') {
    return new ToolwharfError(record.error.code as never, record.error.message);
  }
  const why = record?.resultOmitted ? 'its result was too large to keep' : 'its outcome is not recorded';
  return new ToolwharfError(
    'OUTCOME_UNKNOWN',
    `A call with this idempotency key was made before, but ${why}; it was not made again`,
  );
}
