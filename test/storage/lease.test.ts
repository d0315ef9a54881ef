import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallRecord } from '../../packages/toolwharf/invocation/call-record.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { createPostgresWorkspace } from './kinds.ts';
import { gather, makeCall, makeConversation, makeMessage } from './records.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** A storage whose lease is not renewed automatically, and another one that can remove it. */
async function openPair() {
  const workspace = await createPostgresWorkspace(postgres);
  const stopped = await workspace.open({ leaseMs: 600_000 });
  const other = await workspace.open({ leaseMs: 600_000 });
  const { lease } = stopped.fleet ?? {};
  if (!lease) throw new Error('Postgres has leases');
  return {
    workspace,
    stopped,
    other,
    lease,
    expire: () => workspace.sql(`update owners set expires_at = 0 where id = '${stopped.fleet?.replica}'`),
    async [Symbol.asyncDispose]() {
      await stopped.close();
      await other.close();
    },
  };
}

const statusOf = async ({ journal }: Storage, id: string) => (await journal.get(id))?.status;

describe('a replica whose lease was removed', () => {
  test('a replica whose lease was removed cannot record a call as running, so that the call is not sent', async () => {
    await using pair = await openPair();
    const { stopped, other, lease } = pair;
    const waiting = makeCall({ status: 'pending' });
    await stopped.journal.write(waiting, lease.epoch);
    await pair.expire();
    await other.audit.recover();
    const refused = { code: 'JOURNAL_UNAVAILABLE', message: expect.stringContaining('not in contact') };
    await expect(stopped.journal.write({ ...waiting, status: 'running' }, 1)).rejects.toMatchObject(refused);
    expect(await statusOf(other, waiting.id)).toBe('error');
    const immediate = makeCall({ status: 'running' });
    await expect(stopped.journal.write(immediate, 1)).rejects.toMatchObject(refused);
    expect(await other.journal.get(immediate.id)).toBeUndefined();
    expect(await gather(other.audit.verify())).toEqual([]);
  });

  test('the end of a call from a replica that lost the call is ignored while another replica continues it', async () => {
    await using pair = await openPair();
    const { stopped, other, lease } = pair;
    const awaiting = { approval: 'a', profile: 'default', calledAs: 'files__read' };
    const { result, ...open } = makeCall({ status: 'pending', completedAt: undefined });
    await stopped.journal.write({ ...open, awaiting }, lease.epoch);
    await pair.expire();
    await other.audit.recover();
    const late = { ...open, status: 'error' as const, end: 'failed' as const };
    await stopped.journal.write(late);
    expect(await statusOf(other, open.id)).toBe('pending');
    await other.journal.write({ ...open, status: 'running' }, other.fleet?.lease.epoch);
    await stopped.journal.write(late);
    expect(await statusOf(stopped, open.id)).toBe('running');
    await other.journal.write({ ...open, status: 'success', result });
    expect(await statusOf(stopped, open.id)).toBe('success');
    expect(await gather(other.audit.verify())).toEqual([]);
  });

  test('a late step does not open a call again that has ended', async () => {
    await using pair = await openPair();
    const { stopped, lease } = pair;
    const call = makeCall({ status: 'success' });
    await stopped.journal.write({ ...call, status: 'pending' }, lease.epoch);
    await stopped.journal.write(call);
    await expect(stopped.journal.write({ ...call, status: 'pending' }, lease.epoch)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await statusOf(stopped, call.id)).toBe('success');
  });

  test('a key of a replica that is gone is free if its call was never recorded, and that replica cannot record it later', async () => {
    await using pair = await openPair();
    const { stopped, other, lease } = pair;
    const { epoch } = lease;
    const [made, unmade] = [makeCall({ status: 'running' }), makeCall({ status: 'running' })];
    const claimOf = ({ id }: CallRecord) => ({ caller: 'a', key: `key of ${id}`, fingerprint: 'f', callId: id });
    for (const call of [made, unmade]) await stopped.journal.claim({ ...claimOf(call), epoch });
    await stopped.journal.write(made, epoch);
    const repeat = (call: CallRecord, callId: string) =>
      other.journal.claim({ ...claimOf(call), callId, epoch: other.fleet?.lease.epoch });
    expect(await repeat(unmade, 'too early')).toMatchObject(claimOf(unmade));
    await pair.expire();
    await other.audit.recover();
    await lease.renew();
    expect(await repeat(made, 'b')).toMatchObject(claimOf(made));
    expect(await repeat(unmade, 'b')).toBeUndefined();
    expect(await repeat(unmade, 'c')).toMatchObject({ ...claimOf(unmade), callId: 'b' });
    await expect(stopped.journal.write(unmade, epoch)).rejects.toMatchObject({ data: { isLeaseLost: true } });
    // Neither now nor later: the end of a call that was not sent belongs to its lease.
    const refused: CallRecord = { ...unmade, status: 'error', end: 'failed' };
    await expect(stopped.journal.write(refused, epoch)).rejects.toMatchObject({ data: { isLeaseLost: true } });
    await stopped.journal.write(makeCall({ status: 'success' }));
    expect(await stopped.journal.get(unmade.id)).toBeUndefined();
    expect(await stopped.journal.claim(claimOf(unmade))).toMatchObject({ callId: 'b' });
  });

  test('a replica whose lease was removed cannot write a conversation that it had, until it takes it again', async () => {
    await using pair = await openPair();
    const { stopped, other, lease } = pair;
    const conversation = makeConversation({ status: 'running' });
    await stopped.conversations.put(conversation);
    const message = makeMessage('m');
    await stopped.conversations.putMessage(conversation.id, message);
    await pair.expire();
    expect(await other.conversations.claim(conversation.id)).toBe(true);
    const lost = { code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining('not in contact') };
    const { conversations } = stopped;
    await expect(conversations.put({ ...conversation, title: 'late' })).rejects.toMatchObject(lost);
    await expect(conversations.putMessage(conversation.id, message)).rejects.toMatchObject(lost);
    await expect(conversations.putMessage(conversation.id, makeMessage('m'))).rejects.toMatchObject(lost);
    await lease.renew();
    await expect(conversations.put({ ...conversation, title: 'late' })).rejects.toMatchObject(lost);
    await other.conversations.put({ ...conversation, status: 'idle', title: 'by the other' });
    expect(await conversations.claim(conversation.id)).toBe(true);
    await conversations.put({ ...conversation, title: 'taken again' });
    expect((await other.conversations.get(conversation.id))?.title).toBe('taken again');
    expect(await other.conversations.messages(conversation.id)).toHaveLength(1);
  });

  test('failed sign-ins are counted together by all replicas, and anew in each period', async () => {
    await using pair = await openPair();
    const [one, two] = [pair.stopped.fleet, pair.other.fleet];
    const counts = [];
    for (const fleet of [one, two, one]) counts.push((await fleet?.limits.countFailure('address', 600_000))?.failures);
    expect(counts).toEqual([1, 2, 3]);
    expect((await two?.limits.countFailure('another', 600_000))?.failures).toBe(1);
    await pair.workspace.sql('update failed_sign_ins set until = 0');
    expect((await two?.limits.countFailure('address', 600_000))?.failures).toBe(1);
    // Periods that have ended are removed.
    expect(await pair.workspace.sql('select key from failed_sign_ins')).toEqual([{ key: 'address' }]);
  });

  test('a replica whose lease was removed makes calls again with a new epoch, and never again with the old one', async () => {
    await using pair = await openPair();
    const { stopped, other, lease } = pair;
    const lost: unknown[] = [];
    lease.onLost((event) => lost.push(event));
    expect(lease.epoch).toBe(1);
    await pair.expire();
    await other.audit.recover();
    await lease.renew();
    expect(lease.epoch).toBe(2);
    expect(lost).toEqual([{ epoch: 1, expiredMs: 0 }]);
    expect([lease.isHeld(1), lease.isHeld(2)]).toEqual([false, true]);
    const call = makeCall({ status: 'running' });
    await expect(stopped.journal.write(call, 1)).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' });
    await stopped.journal.write(call, 2);
    expect(await statusOf(other, call.id)).toBe('running');
  });

  test('a replica whose lease was removed still records the ends of calls that it had sent, beside calls that are refused in the same moment', async () => {
    await using pair = await openPair();
    const { stopped, other, lease } = pair;
    const sent = makeCall({ status: 'running' });
    await stopped.journal.write(sent, lease.epoch);
    await pair.expire();
    await other.audit.recover();
    expect((await other.journal.get(sent.id))?.end).toBe('unknown-outcome');
    const late = makeCall({ status: 'running' });
    const outcomes = await Promise.allSettled([
      stopped.journal.write(late, 1),
      stopped.journal.write({ ...sent, status: 'success' }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await statusOf(other, sent.id)).toBe('success');
    expect(await other.journal.get(late.id)).toBeUndefined();
    expect(await gather(other.audit.verify())).toEqual([]);
  });
});

test('an expired lease is extended with its epoch if no other process removed it', async () => {
  await using pair = await openPair();
  const { stopped, other, lease } = pair;
  await pair.expire();
  await stopped.journal.write(makeCall({ status: 'running' }), lease.epoch);
  await lease.renew();
  expect(lease.epoch).toBe(1);
  await other.audit.recover();
  expect(await stopped.journal.list({ status: 'running' })).toHaveLength(1);
});

test('a replica knows without the database that its lease may be gone, and finds out', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using storage = await workspace.open({ leaseMs: 900 });
  const { lease } = storage.fleet ?? {};
  if (!lease) throw new Error('Postgres has leases');
  const { epoch } = lease;
  // A stopped process: its timers do not run, and the time passes.
  const until = performance.now() + 1_000;
  while (performance.now() < until);
  expect(lease.remainingMs()).toBeLessThanOrEqual(0);
  expect(lease.isHeld(epoch)).toBe(false);
  await waitFor(() => lease.isHeld(epoch), { what: 'the renewed lease' });
});
