import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ApprovalRequest } from '../../../packages/toolwharf/policy/approval.ts';
import type { StorageKind } from '../kinds.ts';
import { at, makeApproval } from '../records.ts';

const now = Date.parse(at(60));
const tooLate = Date.parse(at(600));

/** The contract of every approval store. */
export function approvalsContract(kind: StorageKind): void {
  describe(`approvals in ${kind.name}`, () => {
    test('an approval waits, is answered once and allows one call', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { approvals } = storage;
      const request = makeApproval({ change: [{ path: '/a', kind: 'changed', before: '1', after: '2' }] });
      expect(await approvals.add(request)).toEqual({ request, status: 'pending' });
      expect(await approvals.use(request.id)).toBe(false);
      const answer = { kind: 'allow', scope: 'once', arguments: { path: '/b' } } as const;
      expect(await approvals.answer(request.id, answer, 'ann', now)).toBe('answered');
      const answered = { request, answer, answeredAt: at(60), answeredBy: 'ann' };
      expect(await approvals.get(request.id)).toEqual({ ...answered, status: 'allowed' });
      expect(await approvals.answer(request.id, { kind: 'deny' }, 'bob', now)).toBe('already');
      expect(await approvals.use(request.id)).toBe(true);
      expect(await approvals.use(request.id)).toBe(false);
      expect(await approvals.get(request.id)).toEqual({ ...answered, status: 'used' });
      expect(await approvals.answer(request.id, { kind: 'deny' }, 'bob', now)).toBe('already');
    });

    test('a list contains a large approval as a preview, and a single read returns all of it', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { approvals } = storage;
      const request = makeApproval({ arguments: { text: 'x'.repeat(1_000_000), path: '/a' } });
      await approvals.add(request);
      const preview = { ...request, arguments: { text: `${'x'.repeat(200)}…`, path: '/a' } };
      expect(await approvals.list()).toEqual([{ request: preview, status: 'pending', isPreview: true }]);
      expect(await approvals.get(request.id)).toEqual({ request, status: 'pending' });
    });

    test('pending approvals are counted and found without those that are answered or overdue', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { approvals } = storage;
      const requests = ['a', 'b', 'c'].map((path) => makeApproval({ arguments: { path } }));
      const other = makeApproval({ caller: { id: 'other', kind: 'client' } });
      for (const request of [...requests, other]) await approvals.add(request);
      const [first, ...rest] = requests.map(({ id }) => id);
      await approvals.answer(first ?? '', { kind: 'allow' }, 'ann', now);
      const ids = [first ?? '', ...rest, other.id, 'nobody'];
      expect([...(await approvals.filterPending(ids))].sort()).toEqual([...rest, other.id].sort());
      expect(await approvals.filterPending([])).toEqual([]);
      expect(await approvals.countPending(now)).toBe(3);
      expect(await approvals.countPending(now, 'other')).toBe(1);
      expect(await approvals.countPending(tooLate)).toBe(0);
    });

    test('a denied approval allows nothing, and an unknown one is reported as missing', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { approvals } = storage;
      const request = makeApproval();
      await approvals.add(request);
      const answer = { kind: 'deny', reason: 'no' } as const;
      expect(await approvals.answer(request.id, answer, 'ann', now)).toBe('answered');
      expect(await approvals.use(request.id)).toBe(false);
      expect(await approvals.get(request.id)).toMatchObject({ status: 'denied', answer });
      expect(await approvals.answer('nobody', answer, 'ann', now)).toBe('missing');
      expect(await approvals.get('nobody')).toBeUndefined();
      expect(await approvals.use('nobody')).toBe(false);
    });

    test('identical calls share one open approval', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { approvals } = storage;
      const first = makeApproval();
      const again = () => makeApproval({ argumentsHash: first.argumentsHash, askedAt: at(5) });
      await approvals.add(first);
      expect((await approvals.add(again())).request).toEqual(first);
      await approvals.answer(first.id, { kind: 'allow' }, 'ann', now);
      expect(await approvals.add(again())).toMatchObject({ request: first, status: 'allowed' });
      await approvals.use(first.id);
      const second = again();
      expect(await approvals.add(second)).toEqual({ request: second, status: 'pending' });
      expect(await approvals.add(second)).toEqual({ request: second, status: 'pending' });
      await approvals.answer(second.id, { kind: 'deny' }, 'ann', now);
      const third = again();
      expect(await approvals.add(third)).toEqual({ request: third, status: 'pending' });
    });

    test('calls that differ in caller, conversation, server, definition or arguments have separate approvals', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const first = makeApproval();
      const others: Partial<ApprovalRequest>[] = [
        { argumentsHash: 'other' },
        { definitionHash: 'other' },
        { server: 'other' },
        { tool: 'other' },
        { caller: { ...first.caller, id: 'other' } },
        { caller: { ...first.caller, conversation: 'other' } },
      ];
      await storage.approvals.add(first);
      for (const fields of others) {
        const request = makeApproval({ argumentsHash: first.argumentsHash, ...fields });
        expect((await storage.approvals.add(request)).request.id).toBe(request.id);
      }
      expect(await storage.approvals.list()).toHaveLength(7);
    });

    test('an expired approval cannot be answered or reused', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { approvals } = storage;
      const [swept, late, replaced, unused] = Array.from({ length: 4 }, () => makeApproval()) as [
        ApprovalRequest,
        ApprovalRequest,
        ApprovalRequest,
        ApprovalRequest,
      ];
      for (const request of [late, replaced, unused]) await approvals.add(request);
      expect(await approvals.answer(late.id, { kind: 'allow' }, 'ann', tooLate)).toBe('expired');
      expect(await approvals.get(late.id)).toEqual({
        request: late,
        status: 'expired',
        answeredAt: at(600),
        answeredBy: 'expiry',
      });
      await approvals.answer(unused.id, { kind: 'allow' }, 'ann', now);
      for (const { argumentsHash } of [replaced, unused]) {
        const next = makeApproval({ argumentsHash, askedAt: at(700), expiresAt: at(900) });
        expect((await approvals.add(next)).request).toEqual(next);
      }
      expect(await approvals.get(replaced.id)).toMatchObject({ status: 'expired' });
      await approvals.add(swept);
      expect(await approvals.expire(tooLate - 1)).toEqual([]);
      expect(await approvals.expire(tooLate)).toEqual([swept.id]);
      expect(await approvals.expire(tooLate)).toEqual([]);
      expect(await approvals.answer(swept.id, { kind: 'allow' }, 'ann', now)).toBe('expired');
    });

    test('approvals are listed newest first, by status and by caller', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { approvals } = storage;
      const old = makeApproval({ askedAt: at(1) });
      const middle = makeApproval({ askedAt: at(2), caller: { id: 'other', kind: 'client' } });
      const young = makeApproval({ askedAt: at(3) });
      for (const request of [young, old, middle]) await approvals.add(request);
      await approvals.answer(old.id, { kind: 'deny' }, 'ann', now);
      const ids = async (filter: object) => (await approvals.list(filter)).map(({ request }) => request.id);
      expect(await ids({})).toEqual([young.id, middle.id, old.id]);
      expect(await ids({ status: 'pending' })).toEqual([young.id, middle.id]);
      expect(await ids({ status: 'denied' })).toEqual([old.id]);
      expect(await ids({ caller: 'other' })).toEqual([middle.id]);
      expect(await ids({ limit: 1 })).toEqual([young.id]);
      expect(await ids({ before: young.id, limit: 1 })).toEqual([middle.id]);
      expect(await ids({ before: middle.id })).toEqual([old.id]);
      expect(await ids({ before: old.id })).toEqual([]);
      expect(await ids({ before: randomUUID() })).toEqual([]);
      const twin = makeApproval({ askedAt: at(3) });
      await approvals.add(twin);
      const [first = '', second] = await ids({ limit: 2 });
      expect(await ids({ before: first, limit: 1 })).toEqual([second]);
    });

    test('of concurrent requests, answers and uses, exactly one of each succeeds', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { approvals } = storage;
      const argumentsHash = 'the same';
      const added = await Promise.all(Array.from({ length: 10 }, () => approvals.add(makeApproval({ argumentsHash }))));
      const [id] = new Set(added.map(({ request }) => request.id));
      expect(added.map(({ request }) => request.id)).toEqual(Array(10).fill(id));
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, by) => approvals.answer(id as string, { kind: 'allow' }, String(by), now)),
      );
      expect(answers.sort()).toEqual([...Array(9).fill('already'), 'answered']);
      const uses = await Promise.all(Array.from({ length: 10 }, () => approvals.use(id as string)));
      expect(uses.filter(Boolean)).toHaveLength(1);
    });
  });
}
