import { type ErrorCode, messageOf, ToolwharfError } from '../kernel/errors.ts';
import { UnavailableError, UsageError } from './command-errors.ts';
import { exitCodeFor, exitCodes } from './exit-codes.ts';
import type { Terminal } from './terminal/terminal.ts';
import { logLine } from './terminal/terminal-log.ts';

/** Prints an error with its code and a hint on stderr, with the stack if asked for; returns the exit code. */
export function reportError(terminal: Terminal, cause: unknown, options: { readonly stack: boolean }): number {
  const code = cause instanceof ToolwharfError ? cause.code : undefined;
  reportFailure(terminal, code, cause instanceof ToolwharfError ? cause.message : messageOf(cause));
  if (options.stack && cause instanceof Error && cause.stack) terminal.note(cause.stack);
  return exitCodeOf(cause);
}

/** The exit code for an error. */
export function exitCodeOf(cause: unknown): number {
  if (cause instanceof UsageError) return exitCodes.usage;
  if (cause instanceof UnavailableError) return exitCodes.unavailable;
  return cause instanceof ToolwharfError ? exitCodeFor(cause.code) : exitCodes.problem;
}

/** Prints an error message and its code on stderr, with a hint unless `withHint` is false. */
export function reportFailure(terminal: Terminal, code: string | undefined, message: string, withHint = true): void {
  terminal.note(logLine(terminal, 'error', message));
  if (code === undefined) return;
  const hint = withHint ? hintFor.get(code) : undefined;
  terminal.note(terminal.noteColors.dim(`→ ${code}${hint ? `: ${hint}` : ''}`));
}

const hints: Partial<Record<ErrorCode, string>> = {
  CALL_DENIED: 'see toolbox.approval in the configuration; at a terminal you are asked instead',
  CALL_TIMED_OUT: 'raise --timeout, the timeout of the tool under toolbox.tools, or defaultToolConfig of the server',
  INPUT_REFUSED: 'the server asked a question that nobody could answer; run the command at a terminal to answer it',
  INTERNAL: 'this is a bug in Toolwharf; run with --log-level debug to see the stack trace',
  OUTCOME_UNKNOWN: 'the call may have run; check before you retry',
  SERVER_UNREACHABLE: 'run `toolwharf check` to see the state of every server',
  TOOL_FAILED: 'the tool itself returned this error',
};

const hintFor = new Map(Object.entries(hints));
