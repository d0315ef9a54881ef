import { describe, expect, test } from 'vitest';
import {
  checkHistory,
  type Effect,
  type Fault,
  type History,
  type RecordedCall,
  type SentCall,
} from './support/check-history.ts';

const own = { marker: 'm', client: 'ada' };
const effect: Effect = { ...own, at: 15 };
const success: SentCall = { ...own, sentAt: 10, endedAt: 20, answer: 'success', answered: own };
const record: RecordedCall = { ...own, id: 'r', caller: 'ada', status: 'success' };
const fault: Fault = { kind: 'cut', from: 12, until: 14 };
const far: Fault = { kind: 'cut', from: 1_000, until: 1_001 };
const unknown: SentCall = { ...own, sentAt: 10, endedAt: 20, answer: 'error', code: 'OUTCOME_UNKNOWN' };
const unknownRecord: RecordedCall = { ...record, status: 'error', end: 'unknown-outcome' };
const none: SentCall = { ...own, sentAt: 10, answer: 'none' };

const history = (changes: Partial<History>): History => ({
  effects: [effect],
  calls: [success],
  records: [record],
  faults: [],
  ...changes,
});
const kinds = (changes: Partial<History>) => checkHistory(history(changes)).map(({ kind }) => kind);

describe('the history checker finds nothing in', () => {
  const good: [string, Partial<History>][] = [
    ['a call that ran and was answered', {}],
    [
      'an unknown outcome while something was broken, ran or not',
      { calls: [unknown], records: [unknownRecord], faults: [fault] },
    ],
    [
      'an unknown outcome that did not run',
      { effects: [], calls: [unknown], records: [unknownRecord], faults: [fault] },
    ],
    [
      'an unknown outcome while its own server was broken',
      {
        calls: [{ ...unknown, tool: 'near__act' }],
        records: [unknownRecord],
        faults: [{ ...fault, servers: ['near'] }],
      },
    ],
    [
      'an unknown outcome of a call that met a fault after its client had stopped waiting',
      { calls: [{ ...none, endedAt: 20 }], records: [{ ...unknownRecord, endedAt: 1_000 }], faults: [far] },
    ],
    ['a call whose client went away', { calls: [none] }],
    [
      'a call that was refused and did not run',
      {
        effects: [],
        calls: [{ ...unknown, code: 'QUEUE_FULL' }],
        records: [{ ...record, status: 'error', end: 'failed' }],
      },
    ],
    [
      'a call that could not be recorded and did not run',
      { effects: [], calls: [{ ...unknown, code: 'JOURNAL_UNAVAILABLE' }], records: [] },
    ],
    ['one key sent twice', { calls: [success, { ...success, sentAt: 30, endedAt: 40 }] }],
    [
      'a repeatable tool that ran twice through a fault',
      { effects: [effect, effect], calls: [{ ...success, repeatable: true }], faults: [fault] },
    ],
    ['an answer whose record was damaged', { records: [unknownRecord], faults: [{ ...fault, ofJournal: true }] }],
    ['a call killed before its intent was safe', { effects: [], calls: [none], records: [], faults: [fault] }],
  ];
  for (const [what, changes] of good) {
    test(what, () => expect(checkHistory(history(changes))).toEqual([]));
  }
});

describe('the history checker finds', () => {
  const bad: [string, Partial<History>, string[]][] = [
    ['a success without an effect', { effects: [] }, ['lost']],
    ['a record of success without an effect', { effects: [], calls: [none] }, ['lost']],
    ['two effects of one call', { effects: [effect, effect] }, ['twice']],
    ['two effects of one key', { effects: [effect, effect], calls: [success, success] }, ['twice']],
    [
      'a call repeated through a fault though nobody said it may be',
      { effects: [effect, effect], faults: [fault] },
      ['twice'],
    ],
    [
      'a repeatable call repeated without a fault',
      { effects: [effect, effect], calls: [{ ...success, repeatable: true }], faults: [far] },
      ['twice'],
    ],
    ["an effect in another's name", { effects: [{ ...effect, client: 'eve' }] }, ['wrong-caller']],
    ["a record in another's name", { records: [{ ...record, caller: 'eve' }] }, ['wrong-caller']],
    [
      "somebody else's answer",
      { calls: [{ ...success, answered: { marker: 'other', client: 'ada' } }] },
      ['wrong-caller'],
    ],
    [
      'an answer for another client',
      { calls: [{ ...success, answered: { marker: 'm', client: 'eve' } }] },
      ['wrong-caller'],
    ],
    ['an effect nobody asked for', { calls: [] }, ['unasked']],
    [
      'an effect of a call that was refused',
      { calls: [{ ...unknown, code: 'JOURNAL_UNAVAILABLE' }] },
      ['ran-though-refused'],
    ],
    [
      'an effect of a call that is recorded as refused',
      { calls: [none], records: [{ ...record, status: 'error', end: 'failed', code: 'TOOLBOX_CLOSED' }] },
      ['ran-though-refused'],
    ],
    ['an effect that is not recorded', { records: [], calls: [none] }, ['unrecorded']],
    ['an answer that is not recorded', { effects: [], records: [], calls: [unknown], faults: [fault] }, ['unrecorded']],
    ['a success that is recorded as something else', { records: [unknownRecord], faults: [fault] }, ['unrecorded']],
    ['two records of one call', { records: [record, { ...record, id: 's' }] }, ['recorded-twice']],
    [
      'an attempt that was not sent, and a success with the same key',
      {
        records: [{ ...record, id: 's', status: 'error', end: 'failed', code: 'RATE_LIMITED', isUnsent: true }, record],
      },
      [],
    ],
    ['an unknown outcome for no reason', { calls: [unknown], records: [unknownRecord] }, ['unjustified']],
    [
      'an unknown outcome whose fault was at another time',
      { calls: [unknown], records: [unknownRecord], faults: [far] },
      ['unjustified'],
    ],
    [
      'an unknown outcome whose fault came long after the client had stopped waiting',
      {
        calls: [{ ...none, endedAt: 20 }],
        records: [{ ...unknownRecord, endedAt: 90_000 }],
        faults: [{ ...far, from: 80_000, until: 80_001 }],
      },
      ['unjustified'],
    ],
    [
      'an unknown outcome whose fault was at another server',
      {
        calls: [{ ...unknown, tool: 'near__act' }],
        records: [unknownRecord],
        faults: [{ ...fault, servers: ['nea', 'far'] }],
      },
      ['unjustified'],
    ],
    ['a record that never ended', { calls: [none], records: [{ ...record, status: 'running' }] }, ['open']],
  ];
  for (const [what, changes, expected] of bad) {
    test(what, () => expect(kinds(changes)).toEqual(expected));
  }
});
