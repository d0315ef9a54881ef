import type { ErrorCode } from '../kernel/errors.ts';

/** What the process ends with. Public API: scripts branch on it. */
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

/** The same as a table for `--help`. */
export const exitCodeHelp = `Exit codes:
  0    all went well
  1    a problem was found, or the tool reported an error
  2    wrong usage: command, option, tool name or arguments
  3    the configuration is invalid
  4    a server or the gateway is not available, or the start failed
  5    denied: by the configuration or by the person asked
  124  the call timed out
  130  cancelled with Ctrl-C (143: ended by SIGTERM, 129: by SIGHUP)`;

/** The exit code for an error's code. */
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
