import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { isSdkError, isSdkHttpError } from './delivery-errors.ts';

const refusal = { status: 404, statusText: 'Not Found', text: '' };

test('errors of the SDK are recognised without loading its classes', () => {
  const plain = new SdkError(SdkErrorCode.NotConnected, 'Not connected');
  const http = new SdkHttpError(SdkErrorCode.ClientHttpFailedToOpenStream, 'Not found', refusal);
  expect([plain, http].map((cause) => isSdkError(cause))).toEqual([true, true]);
  expect([plain, http].map(isSdkHttpError)).toEqual([false, true]);
  expect([new Error('other'), { name: 'SdkError' }, undefined].map((cause) => isSdkError(cause))).toEqual([
    false,
    false,
    false,
  ]);
});

test('errors of the SDK are distinguished by their codes', () => {
  const codes = {
    NOT_CONNECTED: SdkErrorCode.NotConnected,
    REQUEST_TIMEOUT: SdkErrorCode.RequestTimeout,
    ERA_NEGOTIATION_FAILED: SdkErrorCode.EraNegotiationFailed,
    CLIENT_HTTP_UNEXPECTED_CONTENT: SdkErrorCode.ClientHttpUnexpectedContent,
  } as const;
  for (const [code, own] of Object.entries(codes)) {
    const cause = new SdkError(own, 'It failed');
    expect(isSdkError(cause, code as keyof typeof codes), code).toBe(true);
    expect(isSdkError(cause, 'SEND_FAILED'), code).toBe(false);
  }
});
