import type { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ConnectionError, messageOf, ProtocolError, ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import { exactMember, memberWithText } from '../kernel/exact-json.ts';

const connectFailures = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
]);

/** True when the request surely never reached the server because its session is gone: any request may be sent again. */
export function wasNotDelivered(cause: unknown): cause is ToolwharfError {
  if (!wasNotReached(cause)) return false;
  if (cause.code === 'SERVER_UNREACHABLE') return cause.data.network !== undefined;
  return cause.code === 'SERVER_DISCONNECTED' && (cause.data.httpStatus === undefined || cause.data.httpStatus === 404);
}

/** True if the server surely did nothing with the request: it was not delivered, or its HTTP status refused it. */
export function wasNotReached(cause: unknown): cause is ToolwharfError {
  return cause instanceof ToolwharfError && cause.data.reached === false;
}

/** Retries a read once after a disconnect: a kept-alive socket may close just when a request is sent on it. */
export async function retryReadOnDisconnect(read: () => Promise<JsonObject>): Promise<JsonObject> {
  return read().catch((cause) => {
    const isDisconnect =
      cause instanceof ConnectionError && cause.code === 'SERVER_DISCONNECTED' && cause.data.reached === true;
    if (!isDisconnect || cause.data.httpStatus !== undefined) throw cause;
    return read();
  });
}

/**
 * Converts the failure of a send. `data.reached` is false only when the server surely did nothing: no connection was
 * made, or the HTTP status refused the request. It decides whether a call may be sent again.
 */
export function toDeliveryError(cause: unknown): ToolwharfError {
  if (cause instanceof ToolwharfError) return cause;
  if (isSdkHttpError(cause)) return toHttpError(cause);
  if (isSdkError(cause)) {
    if (isSdkError(cause, 'NOT_CONNECTED')) return disconnected(cause, false);
    if (isSdkError(cause, 'CLIENT_HTTP_UNEXPECTED_CONTENT')) {
      return new ProtocolError('SERVER_PROTOCOL', messageOf(cause), { cause, data: { reached: true } });
    }
    return disconnected(cause, true);
  }
  if (cause instanceof Error && cause.name === 'UnauthorizedError') {
    return new ConnectionError('OAUTH_REQUIRED', 'The server requires a sign-in', { cause, data: { reached: false } });
  }
  if (cause instanceof SyntaxError) {
    return new ProtocolError('SERVER_PROTOCOL', `The server's reply is not JSON: ${cause.message}`, {
      cause,
      data: { reached: true },
    });
  }
  const code = networkCode(cause);
  if (code && connectFailures.has(code)) {
    return new ConnectionError('SERVER_UNREACHABLE', messageOf(cause) || code, {
      cause,
      data: { reached: false, network: code },
    });
  }
  return disconnected(cause, true);
}

/** True for an error of the SDK, with this code if one is given. Compares names, because comparing classes would load the SDK. */
export function isSdkError(cause: unknown, code?: `${SdkErrorCode}`): cause is SdkError {
  if (!(cause instanceof Error) || (cause.name !== 'SdkError' && cause.name !== 'SdkHttpError')) return false;
  return code === undefined || (cause as SdkError).code === code;
}

/** True for an SDK error that carries an HTTP status. */
export function isSdkHttpError(cause: unknown): cause is SdkHttpError {
  return isSdkError(cause) && cause.name === 'SdkHttpError';
}

function toHttpError(cause: SdkHttpError): ToolwharfError {
  const status = cause.status ?? 0;
  const reached = status >= 500 || status < 400;
  const data = { reached, httpStatus: status };
  if (status === 401 || status === 403) {
    return new ConnectionError('SERVER_UNREACHABLE', `The server requires valid credentials (HTTP ${status})`, {
      cause,
      data,
    });
  }
  return new ConnectionError('SERVER_DISCONNECTED', `The server answered HTTP ${status}${brief(cause)}`, {
    cause,
    data,
  });
}

function brief(cause: SdkHttpError): string {
  const text = (cause.data as { text?: unknown }).text;
  if (typeof text !== 'string' || text.trim() === '' || text.includes('<')) return '';
  return `: ${text.trim().slice(0, 200)}`;
}

function disconnected(cause: unknown, reached: boolean): ToolwharfError {
  return new ConnectionError('SERVER_DISCONNECTED', messageOf(cause), { cause, data: { reached } });
}

function networkCode(cause: unknown): string | undefined {
  for (let current = cause, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth++) {
    const code = (current as { code?: unknown }).code;
    if (typeof code === 'string' && code !== 'ERR_INVALID_STATE') return code;
    if (current instanceof AggregateError && current.errors[0] instanceof Error) return networkCode(current.errors[0]);
  }
  return undefined;
}

/** The data of an error with its text. */
export function errorData(error: JsonObject): unknown {
  return typeof error.data === 'number' ? exactMember(error, 'data') : memberWithText(error, 'data');
}
