import { expect, test } from 'vitest';
import { createLog, type LogEntry, silentLog } from '../../../toolwharf/kernel/log.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { openStorage } from '../storage/open-storage.ts';
import { createStoredApprover } from './stored-approver.ts';

const request: ApprovalRequest = {
  id: 'a',
  callId: 'c',
  caller: { id: 'ada', kind: 'client' },
  tool: 'work',
  originalName: 'work',
  description: '',
  arguments: {},
  argumentsHash: '',
  definitionHash: '',
  reason: 'policy asks',
  approvers: 'client',
  askedAt: new Date().toISOString(),
  expiresAt: new Date(Date.now() + 600_000).toISOString(),
};

test("the answer of the client's user is stored when the store works again", async () => {
  const store = (await openStorage({ kind: 'memory' })).approvals;
  const entries: LogEntry[] = [];
  let failures = 0;
  const approver = createStoredApprover({
    store: { ...store, answer: (...args) => (++failures < 4 ? broken() : store.answer(...args)) },
    log: createLog((entry) => entries.push(entry)),
    pollMs: 1,
  });
  const host = { askClient: async () => ({ kind: 'allow' }) as const };
  const answer = await approver.ask(request, new AbortController().signal, host);
  expect(answer).toMatchObject({ kind: 'allow', by: 'the user of ada' });
  expect(entries.map(({ event }) => event)).toEqual(['approval.not-stored']);
});

test('a store that never works again lets the call end, and the answer is given up', async () => {
  const store = (await openStorage({ kind: 'memory' })).approvals;
  const failed = Promise.withResolvers<void>();
  const answer = () => {
    failed.resolve();
    return broken();
  };
  const approver = createStoredApprover({ store: { ...store, answer }, log: silentLog, pollMs: 1 });
  const cancel = new AbortController();
  const host = { askClient: async () => ({ kind: 'allow' }) as const };
  const asking = approver.ask(request, cancel.signal, host);
  await failed.promise;
  cancel.abort(new Error('cancelled'));
  await expect(asking).rejects.toThrow('cancelled');
});

test('a host that cannot ask its user leaves the approval to others', async () => {
  const store = (await openStorage({ kind: 'memory' })).approvals;
  const approver = createStoredApprover({ store, log: silentLog, pollMs: 1 });
  const host = {
    askUser(): never {
      throw new Error('no terminal');
    },
  };
  const asking = approver.ask(request, new AbortController().signal, host);
  await expect.poll(() => store.get(request.id)).toBeDefined();
  await approver.answer(request.id, { kind: 'allow' }, 'Ada');
  expect(await asking).toMatchObject({ kind: 'allow', by: 'Ada' });
});

function broken(): Promise<never> {
  return Promise.reject(new Error('disk full'));
}
