import type { CallRecord } from '../invocation/call-record.ts';
import type { Journal } from '../invocation/journal.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { limitResult } from './limit-result.ts';
import { overlayCalls } from './overlay-calls.ts';

/** A journal with an end: no more writes are taken, and those under way are waited for. */
export interface ClosingJournal extends Journal {
  /** Resolves when nothing is being written any more. */
  idle(): Promise<void>;
  finish(): Promise<void>;
}

export interface LateEndsOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Larger results are not kept. */
  readonly maxResultBytes: number;
  /** How many ends are kept; 1 000. */
  readonly maxCalls?: number;
  /** How much text they may be, all together; 64 Mi characters. */
  readonly maxCharacters?: number;
}

/**
 * A journal that keeps the ends it could not write and writes them, in order, as soon as it can. A call's write rejects
 * all the same: whoever made it decides what follows. Reading shows a kept end in place of the step before it.
 */
export function keepLateEnds(journal: ClosingJournal, options: LateEndsOptions): ClosingJournal {
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
    // Where one can be written, so can those that wait.
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

  /** The oldest. Calls that were refused never ran and are most likely not in the journal: they go first. */
  function dropOne(): void {
    const all = [...kept.values()].map(({ record }) => record);
    const refused = all.find(({ error }) => error?.code === 'JOURNAL_UNAVAILABLE');
    const dropped = refused ?? all[0];
    if (!dropped) return;
    remove(dropped.id);
    if (refused) return;
    const message = `How call ${dropped.id} ended is lost: too many ended while the journal could not be written`;
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
    const message = `${written} calls that ended while the journal could not be written are recorded now`;
    log.info('journal.caught-up', message, { calls: written, waiting: kept.size });
  }

  /** Writes under way may still fail, and are then kept; so they come first. */
  async function finish(): Promise<void> {
    await journal.idle();
    finishing.abort();
    await retrying;
    await catchUp();
    if (kept.size > 0) {
      const message = `How ${kept.size} calls ended could not be recorded; those that were sent will be of unknown outcome`;
      log.error('journal.end-lost', message, { calls: kept.size });
    }
    await journal.finish();
  }

  return {
    write,
    get: async (id) => kept.get(id)?.record ?? journal.get(id),
    async list(filter = {}) {
      // Some may be written while this is read.
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
