import type { ErrorCode } from '../../../contract/errors.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { MessagePart, ToolCallPart } from '../../../contract/records/conversation.ts';
import { endingFor } from '../../../toolwharf/invocation/call-ending.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { Journal } from '../../../toolwharf/invocation/journal.ts';
import { failureResult, recordedResult } from '../../../toolwharf/invocation/shape-result.ts';
import type { Draft } from './draft.ts';
import { toStoredResult } from './stored-result.ts';

/** The indexes of the calls in an answer that have not run. */
export function unfinishedCalls(parts: readonly MessagePart[]): number[] {
  return parts.flatMap((part, index) =>
    part.type === 'tool-call' && (part.status === 'waiting' || part.status === 'asked') ? [index] : [],
  );
}

/** Marks the calls of a stopped answer that never ran as cancelled. */
export async function cancelUnfinishedCalls(
  draft: Draft,
  completedAt: string,
  journal: Pick<Journal, 'get' | 'write'>,
): Promise<void> {
  await endOpenScripts(draft, journal);
  const left = unfinishedCalls(draft.parts);
  if (left.length === 0) return draft.save();
  const result = toStoredResult(failureResult('', 'CALL_CANCELLED', 'The tool was not called: the answer ended first'));
  for (const index of left)
    draft.changePart(index, {
      status: 'cancelled',
      approvalId: undefined,
      stepApprovalIds: undefined,
      result,
      completedAt,
    });
  await draft.save();
}

/**
 * The state of an answer whose process ended. `resumable`: only calls that certainly never ran are left. `interrupted`: something may
 * have run, so a person must decide whether to continue.
 */
export type Recovered = 'resumable' | 'interrupted';

const outcomeUnknown = 'Toolwharf stopped during the call. Whether the tool ran is unknown; it was not sent again';

/** The record of a script that a process which is gone has left open. No process runs it. */
export async function findOpenScript(
  callId: string | undefined,
  journal: Pick<Journal, 'get'>,
): Promise<CallRecord | undefined> {
  const record = callId === undefined ? undefined : await journal.get(callId);
  return record?.status === 'running' && record.script ? record : undefined;
}

/** Ends a script that is not continued. It may have made calls, which are in the journal. */
export async function endScript(record: CallRecord, error: ToolwharfError, journal: Pick<Journal, 'write'>) {
  await journal.write({ ...record, ...endingFor(error), completedAt: new Date().toISOString() });
}

/**
 * Ends the scripts of an answer that is over and has not continued them. Their calls must not wait any longer: they would start
 * from their first line.
 */
export async function endOpenScripts(draft: Draft, journal: Pick<Journal, 'get' | 'write'>): Promise<void> {
  for (const index of unfinishedCalls(draft.parts)) {
    const part = draft.parts[index] as ToolCallPart;
    const record = await findOpenScript(part.callId, journal);
    if (!record) continue;
    const error = new ToolwharfError('OUTCOME_UNKNOWN', scriptNotContinued);
    await endScript(record, error, journal);
    const result = toStoredResult(failureResult(record.id, error.code, error.message));
    draft.changePart(index, { status: 'unknown', result, startedAt: record.startedAt, ...settled });
  }
}

const scriptNotContinued =
  'Toolwharf stopped during the script, and the script was not continued. The calls that it made are in the journal';

/**
 * Updates the open calls of an answer from the journal. No call is repeated. A script goes on, unless the outcome of another call is
 * unknown.
 */
export async function recoverCalls(draft: Draft, journal: Pick<Journal, 'get' | 'write'>): Promise<Recovered> {
  let isResumable = false;
  let isUnknown = false;
  const asked: number[] = [];
  for (const [index, part] of draft.parts.entries()) {
    if (!isOpen(part)) continue;
    const record = part.callId === undefined ? undefined : await journal.get(part.callId);
    const isScript = (await findOpenScript(part.callId, journal)) !== undefined;
    // Only a dispatched call has a start time. A search changes nothing, and its record does not have the whole answer.
    if (record?.startedAt === undefined || record.kind === 'search' || isScript) {
      isResumable = true;
      if (part.status === 'asked' && part.approvalId !== undefined && !isScript) asked.push(index);
      else draft.changePart(index, { status: 'waiting', ...settled });
    } else {
      const ended = endOf(record);
      isUnknown ||= ended.status === 'unknown';
      draft.changePart(index, { ...ended, startedAt: record.startedAt, ...settled });
    }
  }
  // A call that continues asks for the same approval again, and people can answer it meanwhile.
  if (isResumable && !isUnknown) return 'resumable';
  for (const index of asked) draft.changePart(index, { status: 'waiting', ...settled });
  await endOpenScripts(draft, journal);
  return 'interrupted';
}

const settled = { approvalId: undefined, stepApprovalIds: undefined, progress: undefined };

function isOpen(part: MessagePart): part is ToolCallPart {
  return part.type === 'tool-call' && ['waiting', 'asked', 'running'].includes(part.status);
}

/** The journal may know the end of a call that the conversation does not. */
function endOf(record: CallRecord): Partial<ToolCallPart> {
  const { id, status, end, error, completedAt } = record;
  const isOver = (status === 'success' || status === 'error') && end !== 'unknown-outcome';
  const result = recordedResult(record);
  if (isOver && result) return { status, result: toStoredResult(result), completedAt };
  if (isOver && error)
    return { status, result: toStoredResult(failureResult(id, error.code as ErrorCode, error.message)), completedAt };
  return {
    status: 'unknown',
    result: toStoredResult(failureResult(id, 'OUTCOME_UNKNOWN', outcomeUnknown)),
    completedAt,
  };
}
