import type { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

/** True for an error of the SDK, of this kind if one is named. Told by its name: its class would have to be loaded to compare with. */
export function isSdkError(cause: unknown, code?: `${SdkErrorCode}`): cause is SdkError {
  if (!(cause instanceof Error) || (cause.name !== 'SdkError' && cause.name !== 'SdkHttpError')) return false;
  return code === undefined || (cause as SdkError).code === code;
}

/** True for the SDK's error of an HTTP status. */
export function isSdkHttpError(cause: unknown): cause is SdkHttpError {
  return isSdkError(cause) && cause.name === 'SdkHttpError';
}
