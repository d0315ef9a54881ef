import { constants } from 'node:os';
import { ToolwharfError } from '../kernel/errors.ts';

/** Ends what is under way when the process is asked to stop. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** What to exit with once interrupted. */
  readonly exitCode: number | undefined;
  /** The same as a signal to the process. */
  interrupt(signal: NodeJS.Signals): void;
}

/**
 * The first Ctrl-C (or SIGTERM, SIGHUP) aborts the signal, so that everything is closed in order; a second ends the process at
 * once. What `takes` gives true for is dealt with, and ends nothing.
 */
export function createInterruption(
  onFirst: (signal: NodeJS.Signals) => void,
  takes: (signal: NodeJS.Signals) => boolean = () => false,
): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;

  function interrupt(signal: NodeJS.Signals): void {
    const code = 128 + constants.signals[signal];
    if (exitCode !== undefined) process.exit(code);
    if (takes(signal)) return;
    exitCode = code;
    onFirst(signal);
    controller.abort(new ToolwharfError('CALL_CANCELLED', 'Cancelled'));
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    interrupt,
  };
}
