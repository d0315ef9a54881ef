import type { ErrorCode } from '../kernel/errors.ts';

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
