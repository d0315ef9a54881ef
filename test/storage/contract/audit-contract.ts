import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../packages/toolwharf/kernel/clock.ts';
import type { Storage } from '../../../packages/toolwharf/storage/storage.ts';
import type { StorageKind } from '../kinds.ts';
import { at, gather, makeApproval, makeCall, writeSteps } from '../records.ts';

/** The contract of every audit. */
export function auditContract(kind: StorageKind): void {
  describe(`the audit in ${kind.name}`, () => {
    test('verification finds nothing in an unchanged journal, empty or not', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      expect(await gather(storage.audit.verify())).toEqual([]);
      await Promise.all(Array.from({ length: 450 }, () => storage.journal.write(makeCall())));
      const writing = Promise.all(Array.from({ length: 450 }, () => storage.journal.write(makeCall())));
      expect(await gather(storage.audit.verify())).toEqual([]);
      await writing;
    });

    test('export returns every step in order and can continue after a given one', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const call = makeCall();
      const statuses = ['pending', 'running', 'success'] as const;
      await writeSteps(
        storage.journal,
        statuses.map((status) => ({ ...call, status })),
      );
      const entries = await gather(storage.audit.export());
      expect(entries.map(({ seq, callId, record }) => [seq, callId, record])).toEqual([
        [1, call.id, { ...call, status: 'pending' }],
        [2, call.id, { ...call, status: 'running' }],
        [3, call.id, { ...call, status: 'success' }],
      ]);
      expect(entries.map(({ previous }) => previous)).toEqual([
        '0'.repeat(64),
        ...entries.slice(0, 2).map(({ hash }) => hash),
      ]);
      expect(JSON.parse(JSON.stringify(entries))).toEqual(entries);
      expect(await gather(storage.audit.export({ after: 1, limit: 1 }))).toEqual(entries.slice(1, 2));
      expect(await gather(storage.audit.export({ after: 3 }))).toEqual([]);
    });

    test('export reads more than one page', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      await Promise.all(Array.from({ length: 450 }, () => storage.journal.write(makeCall())));
      const seqs = (await gather(storage.audit.export({ limit: 420 }))).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 420 }, (_, index) => index + 1));
    });

    test('acts are found among calls, in order and after a given step', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const record = (subject: string) => storage.audit.record({ act: 'rule.added', subject, at: at(0) });
      const write = (count: number) =>
        Promise.all(Array.from({ length: count }, () => storage.journal.write(makeCall())));
      const actsAfter = async (seq: number) =>
        (await gather(storage.audit.acts(seq))).map((entry) => [
          entry.seq,
          (entry.record as { subject: string }).subject,
        ]);
      expect(await actsAfter(0)).toEqual([]);
      await record('rule/1');
      await write(2_100);
      await record('rule/2');
      await record('rule/3');
      await write(1);
      expect(await actsAfter(0)).toEqual([
        [1, 'rule/1'],
        [2_102, 'rule/2'],
        [2_103, 'rule/3'],
      ]);
      expect(await actsAfter(1)).toEqual([
        [2_102, 'rule/2'],
        [2_103, 'rule/3'],
      ]);
      expect(await actsAfter(2_102)).toEqual([[2_103, 'rule/3']]);
      expect(await actsAfter(2_103)).toEqual([]);
      const whole = (await gather(storage.audit.export({ after: 2_101, limit: 1 })))[0];
      expect((await gather(storage.audit.acts(2_101)))[0]).toEqual(whole);
    });

    test('retention by count retains the newest calls, and the rest can be verified and appended to', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const calls = await writeCalls(storage, 30);
      await storage.journal.claim({ caller: 'a', key: 'old', fingerprint: 'f', callId: calls[0]?.id ?? '' });
      await storage.journal.claim({ caller: 'a', key: 'new', fingerprint: 'f', callId: calls[29]?.id ?? '' });
      expect(await storage.audit.retain({ maxCalls: 100 })).toEqual({ calls: 0, steps: 0 });
      expect(await storage.audit.retain({ maxCalls: 12, batch: 7 })).toEqual({ calls: 18, steps: 36 });
      const left = calls.slice(18).reverse();
      expect((await storage.journal.list()).map(({ id }) => id)).toEqual(left.map(({ id }) => id));
      expect(await storage.journal.get(calls[0]?.id ?? '')).toBeUndefined();
      expect(await gather(storage.audit.verify())).toEqual([]);
      await writeCalls(storage, 2);
      expect(await gather(storage.audit.verify())).toEqual([]);
      expect((await gather(storage.audit.export()))[0]?.seq).toBe(37);
      const again = { caller: 'a', fingerprint: 'f', callId: 'next' };
      expect(await storage.journal.claim({ ...again, key: 'old' })).toBeUndefined();
      expect(await storage.journal.claim({ ...again, key: 'new' })).toMatchObject({ callId: calls[29]?.id });
    });

    test('retention by age never removes an open call', async () => {
      using workspace = await kind.createWorkspace();
      const clock = stoppedClock();
      await using storage = await workspace.open({ clock });
      clock.set(0);
      const [old] = await writeCalls(storage, 1);
      const open = makeCall({ status: 'running' });
      await storage.journal.write(open);
      await writeCalls(storage, 1);
      clock.set(100);
      const [young] = await writeCalls(storage, 1);
      clock.set(150);
      expect(await storage.audit.retain({ maxAgeMs: 60_000 })).toEqual({ calls: 1, steps: 2 });
      expect(await storage.journal.get(old?.id ?? '')).toBeUndefined();
      expect(await storage.journal.get(open.id)).toEqual(open);
      expect(await storage.audit.retain({ maxAgeMs: 60_000 })).toEqual({ calls: 0, steps: 0 });
      await storage.journal.write({ ...open, status: 'success' });
      expect(await storage.audit.retain({ maxAgeMs: 60_000 })).toEqual({ calls: 1, steps: 3 });
      const left = (await storage.journal.list()).map(({ id }) => id);
      expect(left.sort()).toEqual([open.id, young?.id].sort());
      expect(await storage.audit.retain({ maxAgeMs: 0, maxCalls: 1 })).toMatchObject({ calls: 1 });
      expect(await gather(storage.audit.verify())).toEqual([]);
      expect(await storage.audit.recover()).toBe(0);
    });

    test('retention by age removes no recent step when the clock jumped', async () => {
      using workspace = await kind.createWorkspace();
      const clock = stoppedClock();
      await using storage = await workspace.open({ clock });
      const hour = 3_600;
      const retain = () => storage.audit.retain({ maxAgeMs: hour * 1_000 });
      const write = async (seconds: number) => {
        clock.set(seconds);
        const [call] = await writeCalls(storage, 1);
        return call?.id ?? '';
      };
      const left = async () => new Set((await storage.journal.list()).map(({ id }) => id));
      const [old, ahead, now, behind] = [
        await write(0),
        await write(24 * hour),
        await write(1),
        await write(-2 * hour),
      ];
      // The clock is back, and an hour later the first call may be removed. The later calls were written by a clock that was ahead.
      clock.set(hour + 10);
      expect(await retain()).toEqual({ calls: 1, steps: 2 });
      expect(await left()).toEqual(new Set([ahead, now, behind]));
      // A clock that is set back by days removes nothing.
      clock.set(-72 * hour);
      expect(await retain()).toEqual({ calls: 0, steps: 0 });
      // When the call of the fast clock is old enough, all calls are.
      const young = await write(25 * hour + 10);
      expect(await retain()).toEqual({ calls: 3, steps: 6 });
      expect(await left()).toEqual(new Set([young]));
      expect(await storage.journal.get(old)).toBeUndefined();
      expect(await gather(storage.audit.verify())).toEqual([]);
    });

    test('an aborted retention removes nothing more', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      await writeCalls(storage, 3);
      const stopped = storage.audit.retain({ maxCalls: 0, signal: AbortSignal.abort() });
      await expect(stopped).rejects.toThrow();
      expect(await storage.journal.list()).toHaveLength(3);
    });

    test('retention removes old answered approvals, never open ones', async () => {
      using workspace = await kind.createWorkspace();
      const clock = stoppedClock();
      await using storage = await workspace.open({ clock });
      clock.set(1_000);
      const [denied, open, young] = [makeApproval(), makeApproval(), makeApproval({ askedAt: at(990) })] as const;
      for (const request of [denied, open, young]) await storage.approvals.add(request);
      await storage.approvals.answer(denied.id, { kind: 'deny' }, 'ann', Date.parse(at(1)));
      await storage.audit.retain({ maxAgeMs: 60_000 });
      const left = (await storage.approvals.list()).map(({ request }) => request.id);
      expect(left.sort()).toEqual([open.id, young.id].sort());
    });
  });
}

async function writeCalls(storage: Storage, count: number) {
  const calls = Array.from({ length: count }, () => makeCall());
  await writeSteps(
    storage.journal,
    calls.flatMap((call) => [{ ...call, status: 'pending' }, call]),
  );
  return calls;
}

function stoppedClock(): Clock & { set(seconds: number): void } {
  let now = Date.parse(at(0));
  return {
    now: () => now,
    sleep: async () => {},
    set(seconds) {
      now = Date.parse(at(seconds));
    },
  };
}
