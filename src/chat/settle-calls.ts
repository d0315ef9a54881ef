import { failureResult } from '../invocation/shape-result.ts';
import type { Draft } from './draft.ts';
import { keepResult } from './keep-result.ts';
import { unfinishedCalls } from './unfinished-calls.ts';

/** Calls of an answer that will not go on, and that were never made, end as cancelled. */
export async function settleCalls(draft: Draft, completedAt: string): Promise<void> {
  const left = unfinishedCalls(draft.parts);
  if (left.length === 0) return;
  const result = keepResult(failureResult('', 'CALL_CANCELLED', 'The tool was not called: the answer ended before'));
  for (const index of left)
    draft.changePart(index, { status: 'cancelled', approvalId: undefined, result, completedAt });
  await draft.save();
}
