import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { isLeaseLost, type Journal } from '../../../toolwharf/invocation/journal.ts';
import { backoffMs } from '../../../toolwharf/kernel/backoff.ts';
import type { Clock } from '../../../toolwharf/kernel/clock.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { limitResult, overlayCalls } from '../../../toolwharf/storage/call-records.ts';

interface UnwrittenEnd {
  readonly record: CallRecord;
  /** The end is not written after this lease. */
  readonly epoch: number | undefined;
  readonly characters: number;
}

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
  /** Maximum number of buffered ends; 1 000. */
  readonly maxCalls?: number;
  /** Maximum size of all buffered ends; 64 Mi characters. */
  readonly maxCharacters?: number;
}

/**
 * Buffers the ends of calls that could not be written and retries them in order. The write itself still rejects, so that the
 * caller can react. Reads return a buffered end instead of the record that was written before it.
 */
export function retryFailedEnds(journal: ClosingJournal, options: RetryEndsOptions): ClosingJournal {
  const { log, clock, maxResultBytes, maxCalls = 1_000, maxCharacters = 64 * 1024 * 1024 } = options;
  const unwritten = new Map<string, UnwrittenEnd>();
  const finishing = new AbortController();
  let characters = 0;
  let catchingUp: Promise<void> | undefined;
  let retrying: Promise<void> | undefined;

  function write(record: CallRecord, epoch?: number): Promise<void> {
    const writing = journal.write(record, epoch);
    // Nearly all writes: there is nothing to do after them, and only an end is buffered.
    if (unwritten.size === 0 && !isEnd(record)) return writing;
    return writing.then(
      () => {
        if (unwritten.size === 0) return;
        remove(record.id);
        // The journal works again, so the buffered ends can be written too.
        void catchUp();
      },
      (cause) => {
        if (isEnd(record) && !finishing.signal.aborted && !isLeaseLost(cause)) buffer(record, epoch);
        throw cause;
      },
    );
  }

  function buffer(record: CallRecord, epoch: number | undefined): void {
    const short = limitResult(record, maxResultBytes);
    const length = JSON.stringify(short).length;
    remove(record.id);
    unwritten.set(record.id, { record: short, epoch, characters: length });
    characters += length;
    while (unwritten.size > maxCalls || characters > maxCharacters) dropOne();
    retrying ??= retry().finally(() => {
      retrying = undefined;
    });
  }

  function remove(id: string): void {
    characters -= unwritten.get(id)?.characters ?? 0;
    unwritten.delete(id);
  }

  /** Drops the oldest end. Refused calls are dropped first: they never ran and are most likely not in the journal. */
  function dropOne(): void {
    const all = [...unwritten.values()].map(({ record }) => record);
    const refused = all.find(({ error }) => error?.code === 'JOURNAL_UNAVAILABLE');
    const dropped = refused ?? all[0];
    if (!dropped) return;
    remove(dropped.id);
    if (refused) return;
    const message = `The end of call ${dropped.id} is lost: too many calls ended while the journal could not be written`;
    log.error('journal.end-lost', message, { call: dropped.id });
  }

  async function retry(): Promise<void> {
    for (let failures = 1; unwritten.size > 0; failures++) {
      await clock.sleep(backoffMs(failures, { firstMs: 500 }), finishing.signal).catch(() => {});
      if (finishing.signal.aborted) return;
      await catchUp();
    }
  }

  function catchUp(): Promise<void> {
    catchingUp ??= writeAll().finally(() => {
      catchingUp = undefined;
    });
    return catchingUp;
  }

  async function writeAll(): Promise<void> {
    let written = 0;
    for (const [id, { record, epoch }] of unwritten) {
      try {
        await journal.write(record, epoch);
      } catch (cause) {
        if (!isLeaseLost(cause)) break;
      }
      written++;
      if (unwritten.get(id)?.record === record) remove(id);
    }
    if (written === 0) return;
    const message = `Recorded the ends of ${written} calls that could not be written before`;
    log.info('journal.caught-up', message, { calls: written, waiting: unwritten.size });
  }

  /** Waits for pending writes first: those that fail are buffered too. */
  async function finish(): Promise<void> {
    await journal.idle();
    finishing.abort();
    await retrying;
    await catchUp();
    if (unwritten.size > 0) {
      const message = `The ends of ${unwritten.size} calls could not be recorded; the outcome of those that were sent will be unknown`;
      log.error('journal.end-lost', message, { calls: unwritten.size });
    }
    await journal.finish();
  }

  return {
    write,
    get: async (id) => unwritten.get(id)?.record ?? journal.get(id),
    async list(filter = {}) {
      // A copy: some of them may be written during the read.
      const late = new Map([...unwritten].map(([id, { record }]) => [id, record]));
      return overlayCalls(await journal.list(filter), late, filter);
    },
    claim: (claim, unsent) => journal.claim(claim, unsent),
    idle: () => journal.idle(),
    finish,
  };
}

function isEnd({ status }: CallRecord): boolean {
  return status === 'success' || status === 'error';
}
