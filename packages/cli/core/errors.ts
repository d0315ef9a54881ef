import { type ErrorCode, messageOf, ToolwharfError } from '../../contract/errors.ts';
import type { Terminal } from './terminal/terminal.ts';
import { logLine } from './terminal/terminal-log.ts';

/** The command line is not valid; the message says what is expected. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** Something the command needs is unavailable, such as a running gateway; the message says what to do. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}

/** The gateway lacks a route, because it is older or one of its features is switched off. */
export class MissingRouteError extends UnavailableError {}

/** The exit codes of all commands. Public API: scripts branch on them. */
export const exitCodes = {
  ok: 0,
  problem: 1,
  usage: 2,
  config: 3,
  unavailable: 4,
  denied: 5,
  timedOut: 124,
  cancelled: 130,
} as const;

/** The exit codes as `--help` shows them. */
export const exitCodeHelp = `Exit codes:
  0    success
  1    a problem was found, or the tool returned an error
  2    invalid usage: unknown command, option or tool, or invalid arguments
  3    invalid configuration
  4    a server or the gateway is unavailable, or startup failed
  5    denied by policy or by a person
  124  the call timed out
  130  cancelled with Ctrl-C (143: SIGTERM, 129: SIGHUP)`;

/** The exit code for an error code. */
export function exitCodeFor(code: string): number {
  return byErrorCode.get(code) ?? exitCodes.problem;
}

const codes: Partial<Record<ErrorCode, number>> = {
  APPROVAL_EXPIRED: exitCodes.denied,
  ARGUMENTS_INVALID: exitCodes.usage,
  CALL_CANCELLED: exitCodes.cancelled,
  CALL_DENIED: exitCodes.denied,
  CALL_TIMED_OUT: exitCodes.timedOut,
  CONFIG_INVALID: exitCodes.config,
  FORBIDDEN: exitCodes.denied,
  INPUT_REFUSED: exitCodes.denied,
  NOT_FOUND: exitCodes.usage,
  OAUTH_FAILED: exitCodes.unavailable,
  OAUTH_REQUIRED: exitCodes.unavailable,
  OUTCOME_UNKNOWN: exitCodes.unavailable,
  REQUEST_INVALID: exitCodes.usage,
  SERVER_DISCONNECTED: exitCodes.unavailable,
  SERVER_PROTOCOL: exitCodes.unavailable,
  SERVER_UNREACHABLE: exitCodes.unavailable,
  STORAGE_UNAVAILABLE: exitCodes.unavailable,
  TOOL_CHANGED: exitCodes.denied,
  TOOL_NAME_INVALID: exitCodes.usage,
  TOOL_NOT_CONFIGURED: exitCodes.unavailable,
  TOOLBOX_CLOSED: exitCodes.unavailable,
  UNAUTHORIZED: exitCodes.denied,
};

const byErrorCode = new Map(Object.entries(codes));

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
  terminal.say(logLine(terminal, 'error', message));
  if (code === undefined) return;
  const hint = withHint ? hintFor.get(code) : undefined;
  terminal.say(terminal.noteColors.dim(`→ ${code}${hint ? `: ${hint}` : ''}`));
}

const hints: Partial<Record<ErrorCode, string>> = {
  CALL_DENIED: 'see toolbox.approval in the configuration; at a terminal you are asked instead',
  CALL_TIMED_OUT: 'raise --timeout, the timeout of the tool under toolbox.tools, or defaultToolConfig of the server',
  INPUT_REFUSED: 'the server asked a question; run the command at a terminal to answer it',
  INTERNAL: 'this is a bug in Toolwharf; run with --log-level debug to see the stack trace',
  OUTCOME_UNKNOWN: 'the call may have run; check before you retry',
  SERVER_UNREACHABLE: 'run `toolwharf check` to see the state of every server',
  TOOL_FAILED: 'the tool itself returned this error',
};

const hintFor = new Map(Object.entries(hints));
