import { type ErrorCode, messageOf, ToolwharfError } from '../kernel/errors.ts';
import { exitCodeFor, exitCodes } from './exit-codes.ts';
import type { Terminal } from './terminal/terminal.ts';
import { logLine } from './terminal/terminal-log.ts';
import { UnavailableError } from './unavailable-error.ts';
import { UsageError } from './usage-error.ts';

/** Tells a person what went wrong, the code to look up and what to do, and gives the exit code. The stack is for debugging only. */
export function reportError(terminal: Terminal, cause: unknown, options: { readonly stack: boolean }): number {
  const code = cause instanceof ToolwharfError ? cause.code : undefined;
  reportFailure(terminal, code, cause instanceof ToolwharfError ? cause.message : messageOf(cause));
  if (options.stack && cause instanceof Error && cause.stack) terminal.note(cause.stack);
  return exitCodeOf(cause);
}

/** What the process ends with after an error. */
export function exitCodeOf(cause: unknown): number {
  if (cause instanceof UsageError) return exitCodes.usage;
  if (cause instanceof UnavailableError) return exitCodes.unavailable;
  return cause instanceof ToolwharfError ? exitCodeFor(cause.code) : exitCodes.problem;
}

/** An error by its code and message; without a hint where the person knows what to do. */
export function reportFailure(terminal: Terminal, code: string | undefined, message: string, withHint = true): void {
  terminal.note(logLine(terminal, 'error', message));
  if (code === undefined) return;
  const hint = withHint ? hintFor.get(code) : undefined;
  terminal.note(terminal.noteColors.dim(`→ ${code}${hint ? `: ${hint}` : ''}`));
}

const hints: Partial<Record<ErrorCode, string>> = {
  CALL_DENIED:
    'what may run, and what is asked about at a terminal, is set under toolbox.approval in the configuration',
  CALL_TIMED_OUT:
    "give it more time: --timeout, the tool's timeout under toolbox.tools, or the server's defaultToolConfig",
  INPUT_REFUSED: 'the server asked something that nobody was there to answer; at a terminal you are asked',
  INTERNAL: 'this should not happen; --log-level debug shows where',
  OUTCOME_UNKNOWN: 'look whether it has run before you try again',
  SERVER_UNREACHABLE: '`toolwharf check` shows the state of every server',
  TOOL_FAILED: 'that is what the tool itself reports',
};

const hintFor = new Map(Object.entries(hints));
