/** Every error code with the HTTP status the gateway answers with. Codes are public API; `docs/errors.md` explains each. */
export const errorStatus = {
  ACCOUNT_REQUIRED: 403,
  APPROVAL_EXPIRED: 504,
  APPROVAL_FAILED: 503,
  ARGUMENTS_INVALID: 400,
  CALL_CANCELLED: 499,
  CALL_DENIED: 403,
  CALL_TIMED_OUT: 504,
  CONFIG_INVALID: 400,
  CONFLICT: 409,
  FORBIDDEN: 403,
  GONE: 410,
  IDEMPOTENCY_CONFLICT: 409,
  INPUT_REFUSED: 403,
  INTERNAL: 500,
  JOURNAL_UNAVAILABLE: 503,
  LIMIT_REACHED: 429,
  METHOD_NOT_ALLOWED: 405,
  NOT_FOUND: 404,
  OAUTH_FAILED: 502,
  OAUTH_REQUIRED: 401,
  OUTCOME_UNKNOWN: 502,
  OVERLOADED: 503,
  POLICY_FAILED: 503,
  QUEUE_FULL: 429,
  RATE_LIMITED: 429,
  REQUEST_INVALID: 400,
  REQUEST_TOO_LARGE: 413,
  RESULT_BLOCKED: 403,
  RESULT_DISCARDED: 502,
  SCRIPT_DIVERGED: 409,
  SERVER_DISCONNECTED: 503,
  SERVER_ERROR: 502,
  SERVER_PROTOCOL: 502,
  SERVER_UNAVAILABLE: 503,
  SERVER_UNREACHABLE: 502,
  STORAGE_UNAVAILABLE: 503,
  TOOL_CHANGED: 409,
  TOOL_FAILED: 502,
  TOOL_NAME_INVALID: 404,
  TOOL_NOT_CONFIGURED: 409,
  TOOLBOX_CLOSED: 503,
  UNAUTHORIZED: 401,
} as const satisfies Record<string, number>;

/** A code of `ToolwharfError`. Codes are public API. */
export type ErrorCode = keyof typeof errorStatus;

export interface ErrorOptions {
  readonly cause?: unknown;
  /** Facts for programs: ids, paths, limits. Never secrets or tool arguments. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The one error Toolwharf throws. Branch on `code`; the message says what happened and what to do. */
export class ToolwharfError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ToolwharfError';
    this.code = code;
    this.data = options.data ?? {};
  }

  /** The HTTP status that belongs to the code. */
  get status(): number {
    return errorStatus[this.code];
  }
}

/** The server could not be reached, went away, or refused us. */
export class ConnectionError extends ToolwharfError {
  override readonly name: string = 'ConnectionError';
}

/** The server was reached but answered with something that is not MCP, or with a JSON-RPC error. */
export class ProtocolError extends ToolwharfError {
  override readonly name: string = 'ProtocolError';
}

/** Any thrown value as a `ToolwharfError`; one that already is stays the same object. */
export function toToolwharfError(cause: unknown, code: ErrorCode = 'INTERNAL'): ToolwharfError {
  if (cause instanceof ToolwharfError) return cause;
  return new ToolwharfError(code, messageOf(cause), { cause });
}

/** The message of any thrown value, followed by the messages of its causes that add information. */
export function messageOf(cause: unknown): string {
  try {
    return joinMessages(cause);
  } catch {
    // An object without a text form, or with a getter that throws.
    return 'unknown error';
  }
}

function joinMessages(cause: unknown): string {
  const parts: string[] = [];
  let current: unknown = cause;
  for (let depth = 0; depth < 4 && current !== undefined && current !== null; depth++) {
    const text = current instanceof Error ? current.message || current.name : String(current);
    if (text && !parts.some((part) => part.includes(text))) parts.push(text);
    // The message of a ToolwharfError is complete.
    current = current instanceof Error && !(current instanceof ToolwharfError) ? current.cause : undefined;
  }
  return parts.join(': ') || 'unknown error';
}
