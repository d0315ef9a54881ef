import { expect, test } from 'vitest';
import { compileRules } from '../../../toolwharf/features/policy/compile-rules.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { AuditEntry } from '../../../toolwharf/storage/ports/audit.ts';
import type { createRecordedCalls } from './recorded-call.ts';
import { replayPage } from './replay.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function record(number: number, given: Partial<CallRecord> = {}): CallRecord {
  return {
    ...{ id: `${number}`, server: 's', tool: 's__act', originalName: 'act', caller: { id: 'ada', kind: 'client' } },
    ...{ arguments: { number }, definitionHash: 'h', status: 'success', createdAt: at(number), startedAt: at(number) },
    ...{ completedAt: at(number), ...given },
  };
}

const journal = (records: readonly (CallRecord | string)[]): readonly AuditEntry[] =>
  records.map((one, index) => ({
    ...{ seq: index + 1, callId: 'x', at: at(index), record: one, previous: '', hash: '' },
  }));

async function replay(records: readonly (CallRecord | string)[], when: string, since?: number, maxEntries = 3) {
  const entries = journal(records);
  const audit = {
    async *export({ after = 0, limit = Number.POSITIVE_INFINITY } = {}) {
      yield* entries.filter(({ seq }) => seq > after).slice(0, limit);
    },
    ends: async () => ({ anchor: { seq: 0, hash: '' }, head: { seq: entries.length, hash: '' } }),
  };
  const rules = compileRules(
    [{ id: 'r', when, then: 'deny', mode: 'enforce', onFailure: 'ask', examples: [] }],
    ({ message }) => {
      throw new Error(message);
    },
  );
  const toRecorded: ReturnType<typeof createRecordedCalls> = async (one) => ({
    facts: one,
    unknown: new Set(one.definitionHash === 'lost' ? ['call.annotations'] : []),
  });
  const { signal } = new AbortController();
  const pages = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await replayPage(rules, {
      audit,
      find: async () => undefined,
      toRecorded,
      signal,
      after,
      since,
      maxEntries,
    });
    pages.push(page);
    after = page.next;
  }
  return {
    pages: pages.length,
    judged: pages.reduce((sum, page) => sum + page.judged, 0),
    unknown: pages.reduce((sum, page) => sum + page.unknown, 0),
    flips: pages.flatMap(({ flips }) => flips.map(({ id, before, after }) => `${id} ${before} → ${after}`)),
  };
}

test('a replay reads the journal in pages, and judges each ended call once, at its end', async () => {
  const records = [1, 2, 3, 4, 5, 6].flatMap((number) => [
    record(number, { status: 'running', completedAt: undefined }),
    record(number),
  ]);
  expect(await replay(records, 'call.args.number > 4')).toEqual({
    ...{ pages: 5, judged: 6, unknown: 0 },
    flips: ['5 allowed → denied', '6 allowed → denied'],
  });
  expect(await replay(records, 'true', Date.parse(at(5)))).toMatchObject({ judged: 2 });
});

test('a replay leaves out what no policy decides: searches, acts, torn entries, invalid calls and scripts themselves', async () => {
  const others = [
    record(1, { kind: 'search' }),
    record(2, { kind: 'administration' }),
    'torn',
    record(4, { end: 'invalid', status: 'error', startedAt: undefined }),
    record(5, { server: undefined, originalName: 'run_code' }),
  ];
  expect(await replay(others, 'true')).toMatchObject({ judged: 0, flips: [] });
});

test('a replay keeps what other settings decided, and undoes what the policy decided', async () => {
  const denied = { end: 'denied', status: 'error', startedAt: undefined } as const;
  const rule = (effect: 'deny' | 'ask' | 'hide', mode: 'enforce' | 'shadow' = 'enforce') => [
    { id: 'old', effect, mode },
  ];
  const approval = { id: 'a', answer: 'allow' } as const;
  const records = [
    record(1, denied),
    record(2, { ...denied, policy: rule('deny') }),
    record(3, { ...denied, policy: rule('deny', 'shadow') }),
    record(4, { approval }),
    record(5, { approval, policy: rule('ask') }),
    record(6, { policy: rule('deny', 'shadow') }),
    // A budget is another setting.
    record(7, { ...denied, policy: [{ id: 'budget:b', effect: 'deny', mode: 'enforce' }] }),
  ];
  expect((await replay(records, 'false')).flips).toEqual(['2 denied → allowed', '5 asked → allowed']);
  expect((await replay(records, 'true')).flips).toEqual(['4 asked → denied', '5 asked → denied', '6 allowed → denied']);
});

test('a replay counts calls of which the journal lacks something that a condition reads', async () => {
  const records = [record(1, { definitionHash: 'lost' }), record(2)];
  expect(await replay(records, 'has(call.annotations.readOnlyHint)')).toMatchObject({ judged: 1, unknown: 1 });
  expect(await replay(records, 'call.args.number == 1')).toMatchObject({ judged: 2, flips: ['1 allowed → denied'] });
});
