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

function kindsOf(changes: Partial<FleetHistory>): string[] {
  const nothing = { faults: [], decisions: [], revocations: [], sentAfterEnd: [], limits: { s: 2 } };
  const history = { effects: [effect], calls: [call], records: [record], ...nothing, ...changes };
  return checkFleet(history).map(({ kind }) => kind);
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
    ['a call that was sent before its key was revoked', { revocations: [{ client: 'ada', at: 10_001 }] }],
  ];
  for (const [what, changes] of good) test(what, () => expect(kindsOf(changes)).toEqual([]));
});

describe('the checker of a fleet finds', () => {
  const bad: [string, Partial<FleetHistory>, string[]][] = [
    ["another client's answer", { effects: [{ ...effect, answeredBy: answerOf('eve', 'm') }] }, ['misrouted']],
    ['the answer to another question', { effects: [{ ...effect, answeredBy: answerOf('ada', 'x') }] }, ['misrouted']],
    ['an execution above the limit', { effects: [{ ...effect, concurrent: 3 }] }, ['over-limit']],
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
