import type { ServerSpec } from '../config/config.ts';
import { ConnectionError, ToolwharfError } from '../kernel/errors.ts';
import { toDeliveryError } from './delivery.ts';
import { isSdkError } from './sdk-errors.ts';
import type { StderrTail } from './stderr-tail.ts';

/** Why a session could not be opened, in words that name the place and, for a child process, what it last complained of. */
export function toConnectError(spec: ServerSpec, cause: unknown, stderr: StderrTail): ToolwharfError {
  if (cause instanceof ToolwharfError && cause.code !== 'SERVER_DISCONNECTED') return cause;
  // The SDK puts words of its own before what happened.
  if (isSdkError(cause, 'ERA_NEGOTIATION_FAILED') && cause.cause instanceof Error) {
    return toConnectError(spec, cause.cause, stderr);
  }
  const text = isTimeout(cause) ? `No answer within ${spec.timeoutMs} ms` : toDeliveryError(cause).message;
  const complaint = spec.target.transport === 'stdio' ? lastWords(stderr) : '';
  return new ConnectionError('SERVER_UNREACHABLE', `${text}${complaint}`, {
    cause,
    data: { ...(cause instanceof ToolwharfError ? cause.data : toDeliveryError(cause).data), reached: false },
  });
}

function isTimeout(cause: unknown): boolean {
  if (isSdkError(cause)) return isSdkError(cause, 'REQUEST_TIMEOUT');
  return cause instanceof DOMException && cause.name === 'TimeoutError';
}

function lastWords(stderr: StderrTail): string {
  // A crash repeated is one message, not three.
  const lines = [...new Set(stderr.lines().filter((line) => line.trim() !== ''))];
  const words = lines.slice(-3).join(' | ').slice(-300);
  return words ? `. Its last words: ${words}` : '';
}
