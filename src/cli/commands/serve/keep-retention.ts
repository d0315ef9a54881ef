import type { RetentionConfig } from '../../../config/config.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Audit } from '../../../storage/ports/audit.ts';

export interface KeepRetentionOptions {
  readonly audit: Pick<Audit, 'retain'>;
  /** As configured at the moment. */
  readonly settings: () => RetentionConfig;
  readonly log: Log;
  /** 60 000. */
  readonly firstMs?: number;
  /** An hour. */
  readonly everyMs?: number;
}

/** Removes, now and then, the calls that are older or more than the configuration wants. Ends before it resolves its disposal. */
export function keepRetention(options: KeepRetentionOptions): AsyncDisposable {
  const { audit, settings, log, firstMs = 60_000, everyMs = 3_600_000 } = options;
  const end = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(run, firstMs).unref();

  function run(): void {
    running = retain().finally(() => {
      if (!end.signal.aborted) timer = setTimeout(run, everyMs).unref();
    });
  }

  async function retain(): Promise<void> {
    try {
      const { maxAgeMs, maxCalls } = settings();
      const { calls, steps } = await audit.retain({ maxAgeMs, maxCalls, signal: end.signal });
      if (steps > 0) log.info('journal.retained', `${calls} old calls were removed from the journal`, { calls, steps });
    } catch (cause) {
      if (end.signal.aborted) return;
      log.error('journal.retention-failed', `Old calls could not be removed from the journal: ${messageOf(cause)}`);
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
