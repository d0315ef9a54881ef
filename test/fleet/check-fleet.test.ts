import { describe, expect, test } from 'vitest';
import type { Effect, RecordedCall, SentCall } from '../faults/support/check-history.ts';
import { answerOf } from '../faults/support/load.ts';
import { checkFleet, type FleetHistory } from './support/check-fleet.ts';

const own = { marker: 'm', client: 'ada' };
const effect: Effect = { ...own, at: 15, concurrent: 1 };
const call: SentCall = { ...own, tool: 's__act', sentAt: 10_000, endedAt: 10_010, answer: 'success', answered: own };
const record: RecordedCall = { ...own, id: 'r', caller: 'ada', status: 'success' };
const denied = { ...call, answer: 'error', code: 'CALL_DENIED', answered: undefined } as const;
const deniedRecord: RecordedCall = { ...record, status: 'error', end: 'denied', code: 'CALL_DENIED' };

const rates = { s: { calls: 2, perMs: 1_000 } };

function kindsOf(changes: Partial<FleetHistory>): string[] {
  const nothing = {
    faults: [],
    decisions: [],
    revocations: [],
    sentAfterEnd: [],
    limits: { s: 2 },
    rates: {},
    singles: [],
  };
  const history = { effects: [effect], calls: [call], records: [record], ...nothing, ...changes };
  return checkFleet(history).map(({ kind }) => kind);
}

/** One call for each time, sent 10 ms before it ran. */
function rated(sentAts: readonly number[], ranAts = sentAts.map((at) => at + 10)): Partial<FleetHistory> {
  return { ...many(sentAts.map((sentAt, index) => ({ sentAt, at: ranAts[index] ?? 0 }))), rates };
}

/** One call for each process that ran it. */
function placed(pids: readonly number[]): Partial<FleetHistory> {
  return { ...many(pids.map((pid, index) => ({ sentAt: index, at: index, pid }))), singles: ['s'] };
}

function many(runs: readonly { sentAt: number; at: number; pid?: number }[]) {
  const named = runs.map((run, index) => ({ ...run, marker: String(index), client: 'ada' }));
  return {
    effects: named.map(({ sentAt: _, ...run }) => run),
    calls: named.map(({ marker, client, sentAt }) => ({ ...call, sentAt, marker, answered: { marker, client } })),
    records: named.map(({ marker }) => ({ ...record, id: marker, marker })),
  };
}

describe('the checker of a fleet finds nothing in', () => {
  const good: [string, Partial<FleetHistory>][] = [
    ['a call that ran', {}],
    ['a question that its own client answered', { effects: [{ ...effect, answeredBy: answerOf('ada', 'm') }] }],
    ['as many executions as the limit allows', { effects: [{ ...effect, concurrent: 2 }] }],
    [
      'a denied call that did not run',
      { effects: [], calls: [denied], records: [deniedRecord], decisions: [{ marker: 'm', answer: 'deny' }] },
    ],
    ['an allowed call that ran', { decisions: [{ marker: 'm', answer: 'allow' }] }],
    ['as many executions in a period as the rate allows', rated([0, 400, 1_000])],
    ['an execution that may have been accepted in the period before', rated([0, 500, 1_000], [900, 910, 1_010])],
    ['a server that moved from one process to another', placed([1, 1, 2, 2])],
    ['a call that was sent before its key was revoked', { revocations: [{ client: 'ada', at: 10_001 }] }],
  ];
  for (const [what, changes] of good) test(what, () => expect(kindsOf(changes)).toEqual([]));
});

describe('the checker of a fleet finds', () => {
  const bad: [string, Partial<FleetHistory>, string[]][] = [
    ["another client's answer", { effects: [{ ...effect, answeredBy: answerOf('eve', 'm') }] }, ['misrouted']],
    ['the answer to another question', { effects: [{ ...effect, answeredBy: answerOf('ada', 'x') }] }, ['misrouted']],
    ['an execution above the limit', { effects: [{ ...effect, concurrent: 3 }] }, ['over-limit']],
    ['an execution above the rate', rated([0, 400, 800]), ['over-rate']],
    ['a process that ran a tool after its successor', placed([1, 2, 1]), ['two-processes']],
    ['a denied call that ran', { decisions: [{ marker: 'm', answer: 'deny' }] }, ['ran-though-denied']],
    [
      'a call that ran a second after its key was revoked',
      { revocations: [{ client: 'ada', at: 8_999 }] },
      ['ran-though-revoked'],
    ],
    ['a call that was sent after its end', { sentAfterEnd: ['m'] }, ['sent-after-end']],
    ['what the checker of calls finds', { effects: [effect, effect] }, ['twice']],
  ];
  for (const [what, changes, expected] of bad) test(what, () => expect(kindsOf(changes)).toEqual(expected));
});
