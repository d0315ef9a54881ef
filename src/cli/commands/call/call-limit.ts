import { readDuration } from '../../../config/durations.ts';
import type { Call } from '../../../invocation/call.ts';
import { createDeadline, type Deadline } from '../../../invocation/deadline.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { UsageError } from '../../usage-error.ts';

/** What `--timeout` says, with a clock that stands still while a person is asked. */
export interface CallLimit extends Disposable {
  /** Starts the clock. The signal aborts with `CALL_TIMED_OUT`, which is not a cancelled call; without a limit it never does. */
  start(tool: string): AbortSignal;
  /** Stops the clock while the call waits for a person. */
  pauseWhileAsking(call: Call): void;
}

/** Reads the text of `--timeout`; one that is no time is a `UsageError`. */
export function createCallLimit(timeout?: string): CallLimit {
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
    pauseWhileAsking(call) {
      let resume: (() => void) | undefined;
      call.subscribe((event) => {
        if (event.type !== 'state') return;
        const isAsking = event.state === 'awaiting-approval' || event.state === 'awaiting-input';
        if (isAsking) resume ??= deadline?.pause();
        else {
          resume?.();
          resume = undefined;
        }
      });
    },
    [Symbol.dispose]: () => deadline?.[Symbol.dispose](),
  };
}

function parse(text: string): number {
  const reading = readDuration(text);
  if ('ms' in reading && reading.ms > 0) return reading.ms;
  throw new UsageError(`--timeout: ${'reason' in reading ? reading.reason : 'must be positive'}`);
}
