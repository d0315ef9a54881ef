import { readDuration } from '../../../config/durations.ts';
import { createDeadline, type Deadline } from '../../../invocation/deadline.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { Approver } from '../../../policy/approval.ts';
import { UsageError } from '../../usage-error.ts';

/** What `--timeout` says, with a clock that stands still while a person is asked. */
export interface CallLimit extends Disposable {
  /** Starts the clock. The signal aborts with `CALL_TIMED_OUT`, which is not a cancelled call; without a limit it never does. */
  start(tool: string): AbortSignal;
  pause(): () => void;
}

/** Reads the text of `--timeout`; one that is no time is a `UsageError`. */
export function createCallLimit(timeout?: string): CallLimit {
  const ms = timeout === undefined ? undefined : parse(timeout);
  let deadline: Deadline | undefined;
  return {
    start(tool) {
      const controller = new AbortController();
      if (ms === undefined) return controller.signal;
      deadline = createDeadline(ms);
      const message = `${tool} did not finish within ${timeout} (--timeout)`;
      const end = () => controller.abort(new ToolwharfError('CALL_TIMED_OUT', message));
      deadline.signal.addEventListener('abort', end, { once: true });
      return controller.signal;
    },
    pause: () => deadline?.pause() ?? (() => {}),
    [Symbol.dispose]: () => deadline?.[Symbol.dispose](),
  };
}

/** The same approver, with the clock stopped while it asks. */
export function pauseWhileApproved(approver: Approver, pause: () => () => void): Approver {
  return {
    async ask(request, signal) {
      const resume = pause();
      try {
        return await approver.ask(request, signal);
      } finally {
        resume();
      }
    },
  };
}

function parse(text: string): number {
  const reading = readDuration(text);
  if ('ms' in reading && reading.ms > 0) return reading.ms;
  throw new UsageError(`--timeout: ${'reason' in reading ? reading.reason : 'must be positive'}`);
}
