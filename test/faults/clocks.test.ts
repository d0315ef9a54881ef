import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { approvalDefaults } from '../../packages/contract/settings/defaults.ts';
import { createStoredApprover } from '../../packages/gateway/core/calls/stored-approver.ts';
import type { CatalogEntry } from '../../packages/toolwharf/catalog/catalog.ts';
import { askApproval } from '../../packages/toolwharf/invocation/ask-approval.ts';
import { RunningCall } from '../../packages/toolwharf/invocation/call.ts';
import { systemClock } from '../../packages/toolwharf/kernel/clock.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import { createRateLimiter } from '../../packages/toolwharf/limits/rate-limiter.ts';
import type { ApprovalRecord } from '../../packages/toolwharf/policy/approval-store.ts';
import { createSqliteWorkspace } from '../storage/kinds.ts';
import { createTestConnection, firstText } from '../support/connect.ts';
import { fixture } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

const day = 86_400_000;

/** A clock that can be set and continues from there. */
function createClock() {
  let shiftMs = 0;
  return {
    ...systemClock,
    now: () => Date.now() + shiftMs,
    jump(ms: number) {
      shiftMs += ms;
    },
  };
}

describe('a clock that jumps', () => {
  test('connections, calls and rate limits survive a clock that jumps by an hour or a day', async () => {
    const clock = createClock();
    await using connection = createTestConnection(fixture('legacy'), {}, { clock, healthMs: 50 });
    await connection.connect();
    const rates = createRateLimiter({ clock });
    for (const ms of [day / 24, -day / 12, -day, 2 * day, -day]) {
      clock.jump(ms);
      const text = String(ms);
      expect(firstText(await connection.request('tools/call', { name: 'echo', arguments: { text } }))).toBe(text);
      await wait(120);
      // On a busy machine the server can miss a health check, which says nothing about the clock.
      await waitFor(() => connection.status.state === 'connected', { what: 'the connection' });
      // A jump may end the window early, but never extends it.
      const taken = rates.take('s', { calls: 1, perMs: 20 });
      expect(taken.ok || taken.retryAfterMs <= 20).toBe(true);
    }
  });

  test('a clock that jumps forward expires a pending approval, and a late answer runs nothing', async () => {
    await using asking = await openAsking();
    const call = asking.ask();
    const { id } = await asking.pending();
    asking.clock.jump(day);
    expect(await asking.approver.answer(id, { kind: 'allow' }, 'ann')).toBe('expired');
    await expect(call).rejects.toMatchObject({ code: 'APPROVAL_EXPIRED' });
  });

  test('a clock that jumps back does not prolong the wait for an approval', async () => {
    await using asking = await openAsking();
    const call = asking.ask(300);
    await asking.pending();
    asking.clock.jump(-day);
    await expect(call).rejects.toThrow(/no answer within/);
  });

  test('when the clock jumps, a valid approval allows one call and an expired one allows none', async () => {
    await using asking = await openAsking();
    const given = asking.ask(300);
    const { id } = await asking.pending();
    await expect(given).rejects.toMatchObject({ code: 'APPROVAL_EXPIRED' });
    // Answered in the repeated hour: a repeated call uses the answer once.
    asking.clock.jump(-day / 24);
    expect(await asking.approver.answer(id, { kind: 'allow' }, 'ann')).toBe('answered');
    expect(await asking.ask()).toEqual(asking.args);
    const again = asking.ask();
    const next = await asking.pending();
    expect(next.id).not.toBe(id);
    expect(await asking.approver.answer(next.id, { kind: 'allow' }, 'ann')).toBe('answered');
    expect(await again).toEqual(asking.args);
    // An unused answer expires.
    const unused = asking.ask(300);
    const last = await asking.pending();
    await expect(unused).rejects.toMatchObject({ code: 'APPROVAL_EXPIRED' });
    asking.clock.jump(-day / 24);
    expect(await asking.approver.answer(last.id, { kind: 'allow' }, 'ann')).toBe('answered');
    asking.clock.jump(day);
    const late = asking.ask(300);
    expect((await asking.pending()).id).not.toBe(last.id);
    await expect(late).rejects.toMatchObject({ code: 'APPROVAL_EXPIRED' });
  });
});

/** Repeats one call that needs approval, with approvals in a store on disk and an adjustable clock. */
async function openAsking() {
  const workspace = createSqliteWorkspace();
  const clock = createClock();
  const storage = await workspace.open({ clock });
  const approver = createStoredApprover({
    store: storage.approvals,
    log: silentLog,
    pollMs: 20,
    now: clock.now,
  });
  const seen = new Set<string>();
  const args = { text: 'hello' };
  const entry = { name: 's__act', originalName: 'act', definition: {}, definitionHash: 'd' } as CatalogEntry;
  const ports = {
    approver,
    rules: storage.rules,
    clock,
    log: silentLog,
    onWaiting: async () => {},
    onAsked() {},
    onAnswered() {},
    onAccepted: async () => {},
  };
  const call = () =>
    new RunningCall({
      id: 'c',
      entry,
      arguments: args,
      caller: { id: 'ada', kind: 'client' },
      host: { mayRepeat: true },
      parent: undefined,
      outer: undefined,
      idempotencyKey: undefined,
      now: () => new Date(clock.now()).toISOString(),
    });
  return {
    clock,
    approver,
    args,
    ask: (expiresMs = 60_000) =>
      askApproval(call(), { entry, args, reason: 'policy asks', approval: { ...approvalDefaults, expiresMs } }, ports),
    /** The next approval, pending or already expired. */
    async pending() {
      const next = await waitFor(async () => {
        const found = await storage.approvals.list();
        return found.find(({ request }) => !seen.has(request.id));
      });
      const { request } = next as ApprovalRecord;
      seen.add(request.id);
      return request;
    },
    async [Symbol.asyncDispose]() {
      await storage.close();
      workspace[Symbol.dispose]();
    },
  };
}
