import type { CallRecord } from '../invocation/call-record.ts';
import type { Journal } from '../invocation/journal.ts';
import { failureResult, recordedResult } from '../invocation/shape-result.ts';
import type { MessagePart, ToolCallPart } from '../storage/ports/conversation-store.ts';
import type { Draft } from './draft.ts';
import { keepResult } from './keep-result.ts';

/**
 * What became of an answer that a process left behind. `resumable`: all that is left are calls that surely never ran.
 * `interrupted`: it was in the middle of something, and only a person can say whether to go on.
 */
export type Recovered = 'resumable' | 'interrupted';

const outcomeUnknown =
  'Toolwharf stopped while the call was on its way. Whether the tool ran is unknown; it was not sent again';

/** Brings the calls of such an answer to what the journal knows of them. None is made again. */
export async function recoverAnswer(draft: Draft, journal: Pick<Journal, 'get'>): Promise<Recovered> {
  let isResumable = false;
  let isUnknown = false;
  for (const [index, part] of draft.parts.entries()) {
    if (!isOpen(part)) continue;
    const record = part.callId === undefined ? undefined : await journal.get(part.callId);
    // Only a call that was sent has a time at which it began.
    if (record?.startedAt === undefined) {
      isResumable = true;
      draft.changePart(index, { status: 'waiting', approvalId: undefined, progress: undefined });
    } else {
      const ended = endOf(record);
      isUnknown ||= ended.status === 'unknown';
      draft.changePart(index, { ...ended, startedAt: record.startedAt, approvalId: undefined, progress: undefined });
    }
  }
  return isResumable && !isUnknown ? 'resumable' : 'interrupted';
}

function isOpen(part: MessagePart): part is ToolCallPart {
  return part.type === 'tool-call' && ['waiting', 'asked', 'running'].includes(part.status);
}

/** The journal may have heard of the end that the conversation has not. */
function endOf(record: CallRecord): Partial<ToolCallPart> {
  const { id, status, end, error, completedAt } = record;
  const isOver = (status === 'success' || status === 'error') && end !== 'unknown-outcome';
  const result = recordedResult(record);
  if (isOver && result) return { status, result: keepResult(result), completedAt };
  if (isOver && error) return { status, result: keepResult(failureResult(id, error.code, error.message)), completedAt };
  return { status: 'unknown', result: keepResult(failureResult(id, 'OUTCOME_UNKNOWN', outcomeUnknown)), completedAt };
}
