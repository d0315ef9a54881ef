/** The values that determine the delay before the next attempt to open an event stream. */
export interface ReconnectState {
  /** The delay that the server asked for. */
  readonly serverRetryMs?: number;
  /** Consecutive attempts that failed. */
  readonly failures: number;
  /** Consecutive responses that ended without an event. */
  readonly emptyResponses: number;
}

const firstMs = 500;
const maxBackoffMs = 10_000;
const maxRetryMs = 60_000;

/**
 * The delay before an event stream is opened again. A server can neither make the gateway reconnect in a tight loop nor
 * postpone it without end.
 */
export function reconnectDelayMs({ serverRetryMs, failures, emptyResponses }: ReconnectState): number {
  const wantedMs = serverRetryMs ?? Math.min(firstMs * 2 ** failures, maxBackoffMs);
  const leastMs = Math.min(100 * emptyResponses, 1_000);
  return Math.min(Math.max(wantedMs, leastMs), maxRetryMs);
}
