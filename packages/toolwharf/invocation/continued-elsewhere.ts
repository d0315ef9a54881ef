import { messageOf, ToolwharfError } from '../../contract/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { RunningCall, RunningCalls } from './call.ts';
import type { CallRecord } from './call-record.ts';
import { isLeaseLost, type Journal } from './journal.ts';

/** The call was not made here, but another replica may make it. */
export function continuedElsewhere(): ToolwharfError {
  const message = 'This replica no longer waits for the approval of the call; another replica continues the call';
  return new ToolwharfError('OUTCOME_UNKNOWN', message, { data: { isContinuedElsewhere: true } });
}

export function isContinuedElsewhere(cause: unknown): boolean {
  return cause instanceof ToolwharfError && cause.data.isContinuedElsewhere === true;
}

export interface FinishUnsentPorts {
  readonly journal: Pick<Journal, 'write'>;
  readonly log: Log;
  readonly onCall: (record: CallRecord) => void;
}

/**
 * Ends a call that was not sent. Another replica may continue a call that waits for approval, or make a call that is repeated with
 * its key: then the record no longer belongs to this replica. Returns whether the end is recorded.
 */
export async function finishUnsent(
  call: RunningCall,
  record: CallRecord,
  error: ToolwharfError,
  { journal, log, onCall }: FinishUnsentPorts,
): Promise<boolean> {
  // The call may have become a task a moment ago.
  if (record.task) await call.recorded?.catch(() => {});
  try {
    if (isContinuedElsewhere(error) || isLeaseLost(error)) return false;
    await journal.write(record, call.epoch);
    return true;
  } catch (cause) {
    if (!isLeaseLost(cause))
      log.error('journal.failed', `The journal could not be written: ${messageOf(cause)}`, { call: call.id });
    return false;
  } finally {
    onCall(record);
  }
}

/**
 * Leaves the calls that wait for approval to other replicas, when the lease was lost and when the returned function is called. A step
 * of another call ends with that call.
 */
export function createHandOver(calls: Pick<RunningCalls, 'list'>, { lease }: Pick<Journal, 'lease'>): () => void {
  function handOver(isMeant: (call: RunningCall) => boolean): void {
    for (const call of calls.list()) {
      const isWaiting = call.state === 'awaiting-approval' && call.record.awaiting !== undefined;
      if (isWaiting && call.parent === undefined && isMeant(call)) call.abort(continuedElsewhere());
    }
  }

  lease?.onLost?.(() => handOver(({ epoch }) => epoch !== lease.epoch));
  return () => handOver(() => true);
}
