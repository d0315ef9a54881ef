import { readDuration } from '../../config/durations.ts';
import { createDeadline, type Deadline } from '../../invocation/deadline.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { UsageError } from '../errors.ts';

/** The time limit of `--timeout`. Time that a person takes to answer does not count. */
export interface CallTimeout extends Disposable {
  /** Starts the clock; the signal aborts with `CALL_TIMED_OUT`, or never if there is no limit. */
  start(tool: string): AbortSignal;
  /** Stops the clock while the call waits for a person; the returned function resumes it. */
  pause(): () => void;
}

/** Parses `--timeout`; throws a `UsageError` if it is not a positive duration. */
export function createCallTimeout(timeout?: string): CallTimeout {
  const ms = timeout === undefined ? undefined : parse(timeout);
  let deadline: Deadline | undefined;
  return {
    start(tool) {
      const controller = new AbortController();
      if (ms === undefined) return controller.signal;
      const message = `${tool} did not finish within ${timeout} (--timeout)`;
      deadline = createDeadline(ms, () => controller.abort(new ToolwharfError('CALL_TIMED_OUT', message)));
      return controller.signal;
    },
    pause: () => deadline?.pause() ?? (() => {}),
    [Symbol.dispose]: () => deadline?.[Symbol.dispose](),
  };
}

function parse(text: string): number {
  const reading = readDuration(text);
  if ('ms' in reading && reading.ms > 0) return reading.ms;
  throw new UsageError(`--timeout: ${'reason' in reading ? reading.reason : 'must be positive'}`);
}
