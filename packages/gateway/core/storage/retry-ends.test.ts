import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { makeCall } from '../../../../test/storage/records.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { createMemoryJournal } from '../../../toolwharf/storage/memory/memory-journal.ts';
import { type ClosingJournal, type RetryEndsOptions, retryFailedEnds } from './retry-ends.ts';

/** A journal that can fail on demand, the entries written to it in order, and the log. */
function setUp(options: Partial<RetryEndsOptions> & { pauseMs?: number } = {}) {
  const { pauseMs = 600_000, ...given } = options;
  const memory = createMemoryJournal({ maxResultBytes: Number.POSITIVE_INFINITY });
  const written: string[] = [];
  const state = { broken: false, slowMs: 0, failures: 0 };
  const inner: ClosingJournal = {
    ...memory,
    async write(record) {
      if (state.slowMs > 0) await wait(state.slowMs);
      if (state.broken) {
        state.failures++;
        throw new Error('database or disk is full');
      }
      written.push(`${record.id} ${record.status}`);
      await memory.write(record);
    },
    idle: () => wait(state.slowMs),
    finish: async () => {
      state.broken = true;
    },
  };
  const logged: string[] = [];
  const note = (event: string, message: string) => logged.push(`${event}: ${message}`);
  const log: Log = { debug: note, info: note, warning: note, error: note };
  const clock = {
    now: () => Date.now(),
    sleep: (_ms: number, signal?: AbortSignal) => wait(pauseMs, undefined, { ref: false, ...(signal && { signal }) }),
  };
  const journal = retryFailedEnds(inner, { log, clock, maxResultBytes: 1_000, ...given });
  const fail = async (record: CallRecord) => {
    state.broken = true;
    await expect(journal.write(record)).rejects.toThrow('disk is full');
    state.broken = false;
  };
  return { journal, inner, memory, state, written, logged, fail };
}

const running = (id: string) => makeCall({ id, status: 'running' });
const ended = (id: string, fields: Partial<CallRecord> = {}) => makeCall({ id, ...fields });

describe('an end of a call that could not be written', () => {
  test('an end of a call that could not be written is written with the next successful write, in the order in which the calls ended [R6]', async () => {
    const { journal, written, fail, logged } = setUp();
    for (const id of ['a', 'b']) await journal.write(running(id));
    await fail(ended('b'));
    await fail(ended('a', { status: 'error' }));
    await journal.write(running('c'));
    await waitFor(() => written.length === 5);
    expect(written.slice(2)).toEqual(['c running', 'b success', 'a error']);
    expect(logged).toEqual([expect.stringMatching(/^journal.caught-up: Recorded the ends of 2 calls/)]);
  });

  test('an end of a call that could not be written is retried without another call', async () => {
    const { journal, memory, state, logged } = setUp({ pauseMs: 1 });
    await journal.write(running('a'));
    state.broken = true;
    await expect(journal.write(ended('a'))).rejects.toThrow();
    await waitFor(() => state.failures > 2, { what: 'two more attempts' });
    expect((await memory.get('a'))?.status).toBe('running');
    state.broken = false;
    await waitFor(() => logged.some((line) => line.startsWith('journal.caught-up')));
    expect((await memory.get('a'))?.status).toBe('success');
  });

  test('an end of a call that could not be written is returned by reads before it is written', async () => {
    const { journal, memory, fail } = setUp();
    await journal.write(running('a'));
    const end = ended('a');
    await fail(end);
    expect((await memory.get('a'))?.status).toBe('running');
    expect(await journal.get('a')).toEqual(end);
    expect(await journal.list()).toEqual([end]);
    expect(await journal.list({ status: 'running' })).toEqual([]);
  });

  test('an end of a call that could not be written is retried once on close, including the ends of pending writes', async () => {
    const { journal, memory, state, fail } = setUp();
    for (const id of ['a', 'b']) await journal.write(running(id));
    await fail(ended('a'));
    Object.assign(state, { broken: true, slowMs: 20 });
    const writing = expect(journal.write(ended('b'))).rejects.toThrow();
    const finished = journal.finish();
    await writing;
    state.broken = false;
    await finished;
    expect((await memory.get('a'))?.status).toBe('success');
    expect((await memory.get('b'))?.status).toBe('success');
  });

  test('an end of a call that could not be written is logged if it cannot be written before close', async () => {
    const { journal, state, logged } = setUp();
    state.broken = true;
    await expect(journal.write(ended('a'))).rejects.toThrow();
    await journal.finish();
    expect(logged).toEqual([expect.stringMatching(/^journal.end-lost: The ends of 1 calls could not be recorded/)]);
  });
});

describe('the buffer of failed ends', () => {
  test('the buffer of failed ends drops rejected calls first when it is full, and logs the loss of any other end', async () => {
    const { journal, written, fail, logged } = setUp({ maxCalls: 2 });
    const error = { code: 'JOURNAL_UNAVAILABLE', message: 'refused' };
    await fail(ended('a'));
    await fail(ended('refused', { status: 'error', error }));
    await fail(ended('b'));
    expect(logged).toEqual([]);
    await fail(ended('c'));
    expect(logged).toEqual([expect.stringMatching(/^journal.end-lost: The end of call a is lost/)]);
    await journal.write(running('d'));
    await waitFor(() => written.length === 3);
    expect(written).toEqual(['d running', 'b success', 'c success']);
  });

  test('the buffer of failed ends is limited by size and omits results that the journal would omit', async () => {
    const { journal, fail, logged } = setUp({ maxCharacters: 3_000 });
    await fail(ended('a', { result: { text: 'x'.repeat(2_000) } }));
    expect(await journal.get('a')).toMatchObject({ resultOmitted: true });
    expect(logged).toEqual([]);
    for (const id of ['b', 'c', 'd', 'e']) await fail(ended(id, { result: { text: 'x'.repeat(900) } }));
    expect(logged.length).toBeGreaterThanOrEqual(2);
  });

  test('the buffer of failed ends replaces an earlier end of the same call by the later one', async () => {
    const { journal, written, fail } = setUp();
    await fail(ended('a', { status: 'error' }));
    await fail(ended('b'));
    await journal.write(ended('a'));
    await waitFor(() => written.length === 2);
    expect(written).toEqual(['a success', 'b success']);
  });
});
