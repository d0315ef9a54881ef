import type { ErrorCode } from '../../contract/errors.ts';
import { createId } from '../kernel/create-id.ts';
import { type Call, type CallEvent, programCaller } from './call.ts';
import type { CallRecord } from './call-record.ts';
import { failureResult } from './shape-result.ts';

/** A call that failed before it started. It is not journalled. */
export function createFailedCall(
  tool: string,
  code: ErrorCode,
  message: string,
  options: Partial<Pick<Call, 'id' | 'caller' | 'host' | 'parent' | 'idempotencyKey'>> = {},
): Call {
  const { id = createId(), caller = programCaller, host = {}, parent, idempotencyKey } = options;
  const time = new Date().toISOString();
  const record: CallRecord = {
    id,
    tool,
    originalName: tool,
    caller,
    parent,
    arguments: {},
    definitionHash: '',
    status: 'error',
    end: 'failed',
    error: { code, message },
    createdAt: time,
    completedAt: time,
    idempotencyKey,
  };
  const result = failureResult(id, code, message);
  async function* events(): AsyncGenerator<CallEvent, void, undefined> {
    yield { type: 'state', state: 'ended', record };
    yield { type: 'ended', result };
  }
  return {
    id,
    tool,
    caller,
    host,
    parent,
    idempotencyKey,
    state: 'ended',
    stateSince: time,
    record,
    result: Promise.resolve(result),
    events: { [Symbol.asyncIterator]: events },
    subscribe: () => () => {},
    cancel() {},
  };
}
