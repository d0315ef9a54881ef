import type { RetentionConfig } from '../../../config/gateway-config.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Audit } from '../../../storage/ports/audit.ts';
import { count } from '../../terminal/format.ts';

export interface RetentionOptions {
  readonly audit: Pick<Audit, 'retain'>;
  /** Returns the current configuration. */
  readonly settings: () => RetentionConfig;
  readonly log: Log;
  /** The delay of the first run; default 60 000. */
  readonly firstRunMs?: number;
  /** The interval of the runs; default one hour. */
  readonly intervalMs?: number;
}

/** Periodically removes calls that exceed the configured age or number. Disposal waits for a run in progress. */
export function enforceRetention(options: RetentionOptions): AsyncDisposable {
  const { audit, settings, log, firstRunMs = 60_000, intervalMs = 3_600_000 } = options;
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(run, firstRunMs).unref();

  function run(): void {
    running = retain().finally(() => {
      if (!stop.signal.aborted) timer = setTimeout(run, intervalMs).unref();
    });
  }

  async function retain(): Promise<void> {
    try {
      const { maxAgeMs, maxCalls } = settings();
      const { calls, steps } = await audit.retain({ maxAgeMs, maxCalls, signal: stop.signal });
      if (steps > 0)
        log.info('journal.retained', `Removed ${count(calls, 'old call')} from the journal`, { calls, steps });
    } catch (cause) {
      if (stop.signal.aborted) return;
      log.error('journal.retention-failed', `Removing old calls from the journal failed: ${messageOf(cause)}`);
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
