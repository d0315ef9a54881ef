import { ConnectionError, messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ToolResult } from '../kernel/tool.ts';
import type { CallEnd, CallRecord } from './call-record.ts';

/** What a record gets when its call is over. */
export type CallEnding = Pick<CallRecord, 'end' | 'result' | 'truncated' | 'error'> & {
  readonly status: 'success' | 'error';
};

/** How a call that has a result ended. */
export function endOf(result: ToolResult, raw: JsonObject | undefined): CallEnding {
  const { content, structuredContent, isError, truncated } = result;
  // A truncated result is recorded as the caller got it.
  const shown = raw ?? { content, ...(structuredContent !== undefined && { structuredContent }), isError };
  if (!isError) return { status: 'success', result: shown, truncated };
  return {
    status: 'error',
    end: 'tool',
    result: shown,
    truncated,
    error: { code: 'TOOL_FAILED', message: result.text.slice(0, 1_000) },
  };
}

/** How a call that has none ended. */
export function endFor(error: ToolwharfError): CallEnd {
  switch (error.code) {
    case 'CALL_DENIED':
    case 'TOOL_CHANGED':
      return 'denied';
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

/** Cancelled ≠ timed out ≠ server failed ≠ outcome unknown. */
export function toCallError(cause: unknown, caller: AbortSignal | undefined): ToolwharfError {
  if (cause instanceof ToolwharfError) {
    if (!wasCutOff(cause)) return cause;
    const message = `${cause.message}. Whether the tool ran is unknown; it was not sent again`;
    return new ToolwharfError('OUTCOME_UNKNOWN', message, { cause });
  }
  if (caller?.aborted) return new ToolwharfError('CALL_CANCELLED', 'The call was cancelled', { cause });
  return new ToolwharfError('SERVER_ERROR', messageOf(cause), { cause });
}

/** The connection broke with the request on its way: the server may or may not have acted on it. */
export function wasCutOff(cause: unknown): boolean {
  return cause instanceof ConnectionError && cause.data.reached === true;
}
