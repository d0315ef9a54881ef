import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwharfError } from '../../contract/errors.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import type { ToolResult } from '../kernel/tool.ts';
import { toolIdOf } from '../kernel/tool-id.ts';
import { abortable } from '../kernel/wait.ts';
import type { RunningCall, RunningCalls } from './call.ts';
import type { CallRecord } from './call-record.ts';
import { failJournal, type Journal, type KeyClaim } from './journal.ts';
import { recordedResult } from './shape-result.ts';

export interface IdempotencyPorts {
  readonly journal: Journal;
  readonly calls: Pick<RunningCalls, 'find'>;
  /** Whether a call of this process, which is not in the journal, ended without having been sent. */
  readonly isUnrecorded: (callId: string) => boolean;
  /** Records that the call was not sent: a journal that failed to claim its key may have stored the claim. */
  readonly onClaimFailed: (cause: ToolwharfError) => Promise<void>;
}

/** A request for an idempotency key. */
export interface KeyRequest {
  readonly key: string;
  readonly entry: CatalogEntry;
  readonly input: unknown;
}

/**
 * Runs a call once for its idempotency key. A repeated call gets the result of the first: while that runs, after it has
 * ended, and after a restart. If the first surely never reached its tool, its key is free and the repeated call is made.
 * Rejects with `IDEMPOTENCY_CONFLICT` when the key belongs to another tool or other arguments.
 */
export async function runOnce(
  call: RunningCall,
  request: KeyRequest,
  { journal, calls, isUnrecorded, onClaimFailed }: IdempotencyPorts,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const { id, caller, epoch, signal } = call;
  const { extraParams } = call.record;
  const hash = hashOf([toolIdOf(request.entry), request.input, ...(extraParams ? [extraParams] : [])]);
  const fingerprint = `2:${hash}`;
  const claim: KeyClaim = { caller: caller.id, key: request.key, fingerprint, callId: id, epoch };
  let unsent: KeyClaim | undefined;
  for (let polls = 0; ; ) {
    const claiming = journal.claim(claim, unsent).catch(failJournal);
    call.claimed = claiming.then(
      (holder) => !holder,
      () => false,
    );
    let first: KeyClaim | undefined;
    try {
      first = await claiming;
    } catch (cause) {
      await onClaimFailed(cause as ToolwharfError);
      throw cause;
    }
    if (!first) return run();
    const isSameCall =
      first.fingerprint === fingerprint ||
      (!first.fingerprint.includes(':') && [hash, ...earlierHashes(call, request)].includes(first.fingerprint));
    const running = calls.find(first.callId);
    // A repeated call may carry the id of the first, which has ended then.
    if (running && running !== call) {
      if (!isSameCall) throw conflict();
      const result = await abortable(running.result, signal);
      // The caller of the first call gave up. The caller of this one has not.
      if (!(isUnsent(running.record) && running.record.end === 'cancelled')) return result;
    }
    const { record, hasWaited } = await waitForEnd(first.callId, journal, isSameCall, signal);
    const wasTaken = unsent?.callId === first.callId && unsent.claimedAt === first.claimedAt;
    // Callers that have waited for the first call get its failure too, so that no person is asked twice.
    const isFree = record ? isUnsent(record) && (!hasWaited || record.end === 'cancelled') : isUnrecorded(first.callId);
    unsent = isFree && !wasTaken ? first : undefined;
    if (unsent) continue;
    if (!isSameCall) throw conflict();
    const recorded = record && recordedResult(record);
    if (recorded) return recorded;
    if (record || !journal.isShared || ++polls > maxUnrecordedPolls) throw noResult(record);
    await sleep(pollMs, undefined, { signal });
  }
}

/** True if a call has ended and surely never reached its tool. */
export function isUnsent({ status, startedAt, end }: Pick<CallRecord, 'status' | 'startedAt' | 'end'>): boolean {
  return status === 'error' && startedAt === undefined && end !== 'unknown-outcome';
}

/** The fingerprints without a version that were stored for the same call when a tool was known by its exposed name. */
function earlierHashes({ calledAs }: RunningCall, { entry, input }: KeyRequest): readonly string[] {
  const names = new Set([entry.name, calledAs, `mcp_${entry.server}_${entry.originalName}`]);
  return [...names].map((name) => hashOf([name, input]));
}

const pollMs = 250;
/** A process that claimed the key records its call a moment later, or its lease expires. */
const maxUnrecordedPolls = 240;

/** Waits for the end of a call that another process may make, if `waits`. The record is undefined if there is none. */
async function waitForEnd(
  id: string,
  journal: Pick<Journal, 'get' | 'isShared'>,
  waits: boolean,
  signal: AbortSignal,
): Promise<{ readonly record: CallRecord | undefined; readonly hasWaited: boolean }> {
  for (let hasWaited = false; ; hasWaited = true) {
    const record = await journal.get(id).catch(failJournal);
    const isOpen = record?.status === 'pending' || record?.status === 'running';
    if (!waits || !journal.isShared || !isOpen) return { record, hasWaited };
    await sleep(pollMs, undefined, { signal });
  }
}

function conflict(): ToolwharfError {
  const message = 'This idempotency key was used for another call: use a new key, or the same tool and arguments';
  return new ToolwharfError('IDEMPOTENCY_CONFLICT', message);
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
