import { describe, expect, test, vi } from 'vitest';
import type { CallRecord } from '../../invocation/call-record.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import type { SandboxCall } from './sandbox/protocol.ts';
import { type AnswerStep, createScriptSteps, formatOrder, parseOrder } from './script-steps.ts';

const search: SandboxCall = { number: 1, kind: 'search', server: '', tool: '', args: { query: 'echo' } };
const signal = new AbortController().signal;

/** The record of the search, as a process that is gone wrote it. */
function recordOf(more: Partial<CallRecord>): CallRecord {
  const { kind, server, tool, args } = search;
  return {
    ...{ id: 'r', kind: 'search', tool: 'search_tools', originalName: 'search_tools', definitionHash: 'search_tools' },
    ...{ caller: { id: 'ada', kind: 'client' }, arguments: { query: 'echo' }, status: 'success' },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', startedAt: '2026-01-01T00:00:00.000Z' },
    completedAt: '2026-01-01T00:00:01.000Z',
    step: { number: 1, hash: hashOf([kind, server, tool, args]), known: '' },
    ...more,
  };
}

async function replay(recorded: readonly CallRecord[]) {
  const asked: Parameters<AnswerStep>[] = [];
  const steps = createScriptSteps({
    recorded,
    startedAt: 0,
    start: () => ({ problem: 'there are no tools' }),
    async answer(...question) {
      asked.push(question);
      return { ok: true, value: 'answered now', time: question[1] };
    },
  });
  steps.rewind();
  steps.make(search);
  return { next: await steps.next(signal), asked };
}

describe('a script that searched in a process that is gone', () => {
  test('a replayed search gets the recorded answer at the recorded time, and is not made again', async () => {
    const { next, asked } = await replay([recordOf({ result: { structuredContent: { tools: ['found before'] } } })]);
    const time = Date.parse('2026-01-01T00:00:01.000Z');
    expect(next).toEqual({ number: 1, settlement: { ok: true, value: ['found before'], time } });
    expect(asked).toEqual([]);
  });

  test('a search whose answer was too large for the journal is made again, without another record', async () => {
    const { next, asked } = await replay([recordOf({ resultOmitted: true })]);
    expect(next).toMatchObject({ settlement: { value: 'answered now' } });
    expect(asked).toEqual([[search, 0, undefined]]);
  });

  test('a search that was not recorded before the process ended is made again and recorded', async () => {
    const { asked } = await replay([]);
    expect(asked).toMatchObject([[search, 0, { number: 1, known: '' }]]);
  });

  test('a script that searches for something else than before is stopped', async () => {
    const other = { number: 1, hash: 'another', known: '' };
    await expect(replay([recordOf({ step: other })])).rejects.toMatchObject({ code: 'SCRIPT_DIVERGED' });
  });
});

test.each([
  [[], ''],
  [[1], '1'],
  [[1, 2, 3], '1-3'],
  [[1, 2, 4, 3, 5, 6], '1-2,4,3,5-6'],
  [[3, 2, 1], '3,2,1'],
])('the order %j is written as %j and read back', (order, text) => {
  expect(formatOrder(order)).toBe(text);
  expect(parseOrder(text)).toEqual(order);
});

describe('a script that waits', () => {
  const sleep: SandboxCall = { number: 1, kind: 'sleep', server: '', tool: '', args: { ms: 60_000 } };
  const open = (recorded: readonly CallRecord[]) => {
    const unused = async () => ({ ok: true, value: null, time: 0 }) as const;
    return createScriptSteps({ recorded, startedAt: 5, start: () => ({ problem: 'none' }), answer: unused });
  };

  test('its sleep ends after that time, in the time of the script, and is no call', async () => {
    vi.useFakeTimers();
    try {
      const steps = open([]);
      steps.rewind();
      steps.make(sleep);
      const paused = steps.next(signal);
      await vi.advanceTimersByTimeAsync(1_000);
      // A long sleep gives the sandbox to others.
      expect(await paused).toBe('paused');
      const ended = steps.someEnded(signal);
      await vi.advanceTimersByTimeAsync(60_000);
      await ended;
      expect(steps.made).toBe(0);
      steps.rewind();
      steps.make(sleep);
      expect(await steps.next(signal)).toEqual({ number: 1, settlement: { ok: true, value: null, time: 60_005 } });
    } finally {
      vi.useRealTimers();
    }
  });

  test('a sleep that was over before the process ended is over at once, and one that was not leaves no timer', async () => {
    vi.useFakeTimers();
    try {
      const later = recordOf({ step: { number: 2, hash: 'h', known: '1' } });
      const steps = open([later]);
      steps.rewind();
      steps.make(sleep);
      expect(await steps.next(signal)).toMatchObject({ number: 1, settlement: { time: 60_005 } });
      const fresh = open([]);
      fresh.rewind();
      fresh.make(sleep);
      await fresh.cancel('its script has ended');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
