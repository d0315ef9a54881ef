import type { CallEnd } from '../../contract/calls.ts';
import { ConnectionError, messageOf, ToolwharfError } from '../../contract/errors.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import type { ToolResult } from '../kernel/tool.ts';
import type { CallRecord } from './call-record.ts';

/** The fields that a record gets when its call ends. */
export type CallEnding = Pick<CallRecord, 'end' | 'result' | 'truncated' | 'error'> & {
  readonly status: 'success' | 'error';
};

/** The ending of a call that the tool answered. A truncated result is recorded as the caller received it. */
export function endingOf(result: ToolResult): CallEnding {
  const { content, structuredContent, isError, truncated, raw } = result;
  const recorded = raw ?? { content, structuredContent, isError };
  if (!isError) return { status: 'success', result: recorded, truncated };
  const error = { code: 'TOOL_FAILED', message: result.text.slice(0, 1_000) };
  return { status: 'error', end: 'tool', result: recorded, truncated, error };
}

/** The ending of a call without a result of its tool. */
export function endingFor(error: ToolwharfError): CallEnding {
  const { code, message } = error;
  return { status: 'error', end: endFor(error), error: { code, message } };
}

function endFor({ code, data }: ToolwharfError): CallEnd {
  // A plugin denied it.
  if (data.policy !== undefined) return 'denied';
  switch (code) {
    case 'CALL_DENIED':
    case 'RESULT_BLOCKED':
    case 'TOOL_CHANGED':
      return 'denied';
    case 'APPROVAL_EXPIRED':
      return 'expired';
    case 'TOOL_FAILED':
      return 'tool';
    case 'CALL_CANCELLED':
      return 'cancelled';
    case 'CALL_TIMED_OUT':
      return 'timeout';
    case 'ARGUMENTS_INVALID':
      return 'invalid';
    case 'OUTCOME_UNKNOWN':
      return 'unknown-outcome';
    default:
      return 'failed';
  }
}

/** Any failure of a call as one error: cancelled, unknown outcome, or the failure itself. */
export function toCallError(cause: unknown, signal: Pick<AbortSource, 'aborted'>): ToolwharfError {
  if (cause instanceof ToolwharfError) {
    if (!wasInterrupted(cause)) return cause;
    const message = `${cause.message}. Whether the tool ran is unknown; it was not sent again`;
    return new ToolwharfError('OUTCOME_UNKNOWN', message, { cause });
  }
  if (signal.aborted) return new ToolwharfError('CALL_CANCELLED', 'The call was cancelled', { cause });
  return new ToolwharfError('SERVER_ERROR', messageOf(cause), { cause });
}

/** True if the connection broke after the request may have reached the server. */
export function wasInterrupted(cause: unknown): boolean {
  return cause instanceof ConnectionError && cause.data.reached === true;
}
