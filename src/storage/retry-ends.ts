import type { CallRecord } from '../invocation/call-record.ts';
import type { Journal } from '../invocation/journal.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { limitResult } from './limit-result.ts';
import { overlayCalls } from './overlay-calls.ts';

/** A journal that can be closed: it finishes its writes and then refuses new ones. */
export interface ClosingJournal extends Journal {
  /** Resolves when no write is pending. */
  idle(): Promise<void>;
  finish(): Promise<void>;
}

export interface RetryEndsOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Larger results are left out of the record. */
  readonly maxResultBytes: number;
  /** Maximum number of ends to keep; 1 000. */
  readonly maxCalls?: number;
  /** Maximum size of all kept ends; 64 Mi characters. */
  readonly maxCharacters?: number;
}

/**
 * Keeps the ends of calls that could not be written and retries them in order. The write itself still rejects, so that the
 * caller can react. Reads return a kept end instead of the record that was written before it.
 */
export function retryFailedEnds(journal: ClosingJournal, options: RetryEndsOptions): ClosingJournal {
  const { log, clock, maxResultBytes, maxCalls = 1_000, maxCharacters = 64 * 1024 * 1024 } = options;
  const kept = new Map<string, { readonly record: CallRecord; readonly characters: number }>();
  const finishing = new AbortController();
  let characters = 0;
  let catchingUp: Promise<void> | undefined;
  let retrying: Promise<void> | undefined;

  async function write(record: CallRecord): Promise<void> {
    try {
      await journal.write(record);
    } catch (cause) {
      if (isEnd(record) && !finishing.signal.aborted) keep(record);
      throw cause;
    }
    if (kept.size === 0) return;
    remove(record.id);
    // The journal works again, so the kept ends can be written too.
    void catchUp();
  }

  function keep(record: CallRecord): void {
    const short = limitResult(record, maxResultBytes);
    const length = JSON.stringify(short).length;
    remove(record.id);
    kept.set(record.id, { record: short, characters: length });
    characters += length;
    while (kept.size > maxCalls || characters > maxCharacters) dropOne();
    retrying ??= retry().finally(() => {
      retrying = undefined;
    });
  }

  function remove(id: string): void {
    characters -= kept.get(id)?.characters ?? 0;
    kept.delete(id);
  }

  /** Drops the oldest. Refused calls go first: they never ran and are most likely not in the journal. */
  function dropOne(): void {
    const all = [...kept.values()].map(({ record }) => record);
    const refused = all.find(({ error }) => error?.code === 'JOURNAL_UNAVAILABLE');
    const dropped = refused ?? all[0];
    if (!dropped) return;
    remove(dropped.id);
    if (refused) return;
    const message = `The end of call ${dropped.id} is lost: too many calls ended while the journal could not be written`;
    log.error('journal.end-lost', message, { call: dropped.id });
  }

  async function retry(): Promise<void> {
    for (let failures = 1; kept.size > 0; failures++) {
      await clock.sleep(backoffMs(failures, { firstMs: 500 }), finishing.signal).catch(() => {});
      if (finishing.signal.aborted) return;
      await catchUp();
    }
  }

  function catchUp(): Promise<void> {
    catchingUp ??= writeKept().finally(() => {
      catchingUp = undefined;
    });
    return catchingUp;
  }

  async function writeKept(): Promise<void> {
    let written = 0;
    for (const [id, { record }] of kept) {
      try {
        await journal.write(record);
      } catch {
        break;
      }
      written++;
      if (kept.get(id)?.record === record) remove(id);
    }
    if (written === 0) return;
    const message = `Recorded the ends of ${written} calls that could not be written before`;
    log.info('journal.caught-up', message, { calls: written, waiting: kept.size });
  }

  /** Waits for pending writes first: those that fail are kept too. */
  async function finish(): Promise<void> {
    await journal.idle();
    finishing.abort();
    await retrying;
    await catchUp();
    if (kept.size > 0) {
      const message = `The ends of ${kept.size} calls could not be recorded; the outcome of those that were sent will be unknown`;
      log.error('journal.end-lost', message, { calls: kept.size });
    }
    await journal.finish();
  }

  return {
    write,
    get: async (id) => kept.get(id)?.record ?? journal.get(id),
    async list(filter = {}) {
      // A copy: some of them may be written during the read.
      const late = new Map([...kept].map(([id, { record }]) => [id, record]));
      return overlayCalls(await journal.list(filter), late, filter);
    },
    claim: (claim) => journal.claim(claim),
    idle: () => journal.idle(),
    finish,
  };
}

function isEnd({ status }: CallRecord): boolean {
  return status === 'success' || status === 'error';
}
