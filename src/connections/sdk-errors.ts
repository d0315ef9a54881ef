import type { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

/** True for an error of the SDK, with this code if one is given. Compares names, because comparing classes would load the SDK. */
export function isSdkError(cause: unknown, code?: `${SdkErrorCode}`): cause is SdkError {
  if (!(cause instanceof Error) || (cause.name !== 'SdkError' && cause.name !== 'SdkHttpError')) return false;
  return code === undefined || (cause as SdkError).code === code;
}

/** True for an SDK error that carries an HTTP status. */
export function isSdkHttpError(cause: unknown): cause is SdkHttpError {
  return isSdkError(cause) && cause.name === 'SdkHttpError';
}
