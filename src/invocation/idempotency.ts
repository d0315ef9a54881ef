import { ToolwharfError } from '../kernel/errors.ts';
import type { ToolResult } from '../kernel/tool.ts';

/** Same key, same call, one execution: whoever comes second gets the first one's result, also while it still runs. */
export interface Idempotency {
  /** Rejects with `IDEMPOTENCY_CONFLICT` when the key was used for another call. */
  once(key: string, fingerprint: string, run: () => Promise<ToolResult>): Promise<ToolResult>;
}

export interface IdempotencyOptions {
  /** Keys remembered; 10 000. */
  readonly maxKeys?: number;
}

export function createIdempotency({ maxKeys = 10_000 }: IdempotencyOptions = {}): Idempotency {
  const known = new Map<string, { fingerprint: string; result: Promise<ToolResult> }>();
  return {
    once(key, fingerprint, run) {
      const before = known.get(key);
      if (before && before.fingerprint !== fingerprint) {
        const message = 'This idempotency key was used for another call: use a new key, or the same tool and arguments';
        return Promise.reject(new ToolwharfError('IDEMPOTENCY_CONFLICT', message));
      }
      if (before) return before.result;
      const result = run();
      known.set(key, { fingerprint, result });
      const oldest = known.size > maxKeys ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
      return result;
    },
  };
}
