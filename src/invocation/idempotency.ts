import { ToolwharfError } from '../kernel/errors.ts';
import type { ToolResult } from '../kernel/tool.ts';
import type { CallRecord } from './call-record.ts';
import type { Journal } from './journal.ts';
import { recordedResult } from './shape-result.ts';

export interface KeyedCall {
  readonly caller: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly callId: string;
}

/** Same key, same call, one execution: whoever comes second gets the first one's result, while it runs and after a restart. */
export interface Idempotency {
  /** Rejects with `IDEMPOTENCY_CONFLICT` when the key was used for another call. */
  once(call: KeyedCall, run: () => Promise<ToolResult>): Promise<ToolResult>;
}

export function createIdempotency(journal: Journal): Idempotency {
  // Calls of this process that are under way; the journal knows those that ended, and those of a process that is gone.
  const running = new Map<string, Promise<ToolResult>>();

  async function earlier(callId: string): Promise<ToolResult> {
    const under = running.get(callId);
    if (under) return under;
    const record = await journal.get(callId);
    const recorded = record && recordedResult(record);
    if (recorded) return recorded;
    throw endedWithout(record);
  }

  return {
    async once(call, run) {
      const taken = await journal.claim(call);
      if (taken && taken.fingerprint !== call.fingerprint) {
        const message = 'This idempotency key was used for another call: use a new key, or the same tool and arguments';
        throw new ToolwharfError('IDEMPOTENCY_CONFLICT', message);
      }
      if (taken) return earlier(taken.callId);
      const result = run();
      running.set(call.callId, result);
      return result.finally(() => running.delete(call.callId));
    },
  };
}

function endedWithout(record: CallRecord | undefined): ToolwharfError {
  if (record?.error && record.end !== 'tool') {
    return new ToolwharfError(record.error.code as never, record.error.message);
  }
  const why = record?.resultOmitted ? 'its result was too big to keep' : 'how it ended is not recorded';
  return new ToolwharfError(
    'OUTCOME_UNKNOWN',
    `A call with this idempotency key was made before, but ${why}; it was not made again`,
  );
}
