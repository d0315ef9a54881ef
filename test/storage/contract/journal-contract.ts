import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { CallRecord } from '../../../packages/toolwharf/invocation/call-record.ts';
import type { CallFilter, Journal } from '../../../packages/toolwharf/invocation/journal.ts';
import { createId } from '../../../packages/toolwharf/kernel/create-id.ts';
import type { StorageKind } from '../kinds.ts';
import { at, gather, makeCall, writeSteps } from '../records.ts';

/** The contract of every journal. */
export function journalContract(kind: StorageKind): void {
  describe(`a journal in ${kind.name}`, () => {
    test('a read returns the last written state of a call [R6]', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { journal } = storage;
      const ended = makeCall({ idempotencyKey: 'k', error: { code: 'TOOL_FAILED', message: 'x' }, end: 'tool' });
      const { result: _, startedAt, completedAt: __, error: ___, end: ____, ...pending } = ended;
      const steps: CallRecord[] = [
        { ...pending, status: 'pending' },
        { ...pending, status: 'running', startedAt },
        { ...ended, status: 'error' },
      ];
      for (const step of steps) {
        await journal.write(step);
        expect(await journal.get(ended.id)).toEqual(step);
        expect(await journal.list()).toEqual([step]);
      }
      expect(await journal.get(randomUUID())).toBeUndefined();
    });

    test('a list contains a large call as a preview, and a single read returns all of it', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { journal } = storage;
      const small = makeCall({ createdAt: at(1) });
      const large = makeCall({ createdAt: at(2), arguments: { text: 'x'.repeat(1_000_000), path: '/a' } });
      await journal.write({ ...large, status: 'running', result: undefined });
      await journal.write(large);
      await journal.write(small);
      const { result: _, ...rest } = large;
      const preview = { ...rest, arguments: { text: `${'x'.repeat(200)}…`, path: '/a' }, isPreview: true };
      expect(await journal.list()).toEqual([preview, small]);
      expect(await journal.get(large.id)).toEqual(large);
    });

    test('concurrent writes stay in order, also for one call', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const calls = Array.from({ length: 150 }, () => makeCall({ status: 'pending' }));
      await Promise.all(
        calls.flatMap((call) => [
          storage.journal.write(call),
          storage.journal.write({ ...call, status: 'running' }),
          storage.journal.write({ ...call, status: 'success' }),
        ]),
      );
      expect(await storage.journal.list({ limit: 1_000 })).toEqual(
        calls.map((call) => ({ ...call, status: 'success' })).reverse(),
      );
    });

    test('calls are listed by server, tool, status, caller and time [R4]', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const other = { id: 'someone', kind: 'person' } as const;
      const [read, write, local, failed] = [
        makeCall({ createdAt: at(10) }),
        makeCall({ createdAt: at(20), tool: 'mcp_files_write', originalName: 'write', caller: other }),
        makeCall({ createdAt: at(30), server: undefined, tool: 'read', originalName: 'read' }),
        makeCall({ createdAt: at(40), server: 'web', status: 'error', caller: other }),
      ];
      for (const call of [read, write, local, failed]) await storage.journal.write(call);
      const cases: [CallFilter, CallRecord[]][] = [
        [{}, [failed, local, write, read]],
        [{ server: 'files' }, [write, read]],
        [{ tool: 'mcp_files_write' }, [write]],
        [{ tool: 'read' }, [failed, local, read]],
        [{ tool: 'read', server: 'files' }, [read]],
        [{ tool: 'read', limit: 2 }, [failed, local]],
        [{ status: 'error' }, [failed]],
        [{ status: 'success', server: 'web' }, []],
        [{ caller: 'someone' }, [failed, write]],
        [{ caller: 'someone', server: 'files', status: 'success' }, [write]],
        [{ search: 'FILES_w' }, [write]],
        [{ search: 'ome' }, [failed, write]],
        [{ search: 'web' }, [failed]],
        [{ search: 'rea', status: 'success' }, [local, read]],
        [{ search: '%' }, []],
        [{ search: 'mcp.files' }, []],
        [{ since: at(20), until: at(40) }, [local, write]],
        [{ since: '2026-11-01T01:00:30+01:00' }, [failed, local]],
        [{ since: at(41) }, []],
        [{ limit: 2 }, [failed, local]],
        [{ limit: 0 }, []],
        [{ before: local.id }, [write, read]],
        [{ before: failed.id, tool: 'read', limit: 1 }, [local]],
        [{ before: randomUUID() }, []],
      ];
      for (const [filter, expected] of cases) {
        const ids = (await storage.journal.list(filter)).map(({ id }) => id);
        expect(ids, JSON.stringify(filter)).toEqual(expected.map(({ id }) => id));
      }
      await expect(storage.journal.list({ since: 'yesterday' })).rejects.toMatchObject({ code: 'ARGUMENTS_INVALID' });
    });

    test('the calls of a chain or an answer are listed page by page [R4]', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { journal } = storage;
      const chain = makeCall();
      const parent = { kind: 'call', id: chain.id } as const;
      const answer = { kind: 'answer', id: randomUUID() } as const;
      const [first, second, other] = [makeCall({ parent }), makeCall({ parent }), makeCall({ parent: answer })];
      await writeSteps(journal, [chain, { ...first, status: 'running' }, first, second, other]);
      expect(await journal.list({ parent: chain.id })).toEqual([second, first]);
      expect(await journal.list({ parent: chain.id, limit: 1 })).toEqual([second]);
      expect(await journal.list({ parent: chain.id, before: second.id })).toEqual([first]);
      expect(await journal.list({ parent: answer.id })).toEqual([other]);
      expect(await journal.list({ parent: randomUUID() })).toEqual([]);
      expect(await journal.get(first.id)).toEqual(first);
      expect(await gather(storage.audit.verify())).toEqual([]);
    });

    test('pages have no gaps or repetitions, even among calls with equal times', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const calls = Array.from({ length: 25 }, (_, index) => makeCall({ createdAt: at(Math.floor(index / 10)) }));
      await Promise.all(calls.map((call) => storage.journal.write(call)));
      expect((await pages(storage.journal, 7)).map(({ id }) => id)).toEqual(calls.map(({ id }) => id).reverse());
      expect((await storage.journal.list()).length).toBe(25);
    });

    test('every call is listed once in writing order when the clock jumps', async () => {
      using workspace = await kind.createWorkspace();
      let now = 0;
      const clock = { now: () => Date.parse(at(now)), sleep: async () => {} };
      await using storage = await workspace.open({ clock });
      const hour = 3_600;
      const jumps = [0, 1, 24 * hour, 24 * hour + 1, -hour, -hour + 1, 2];
      const calls: CallRecord[] = [];
      for (const jump of jumps) {
        now = jump;
        // Two calls at each time, with ids that follow the clock.
        for (let turn = 0; turn < 2; turn++) {
          const call = makeCall({ id: createId(clock.now()), createdAt: at(jump) });
          calls.push(call);
          await writeSteps(storage.journal, [{ ...call, status: 'running' }, call]);
        }
      }
      const byTime = calls.toReversed().sort((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));
      expect((await pages(storage.journal, 3)).map(({ id }) => id)).toEqual(byTime.map(({ id }) => id));
      expect((await storage.journal.list({ since: at(0), until: at(hour) })).map(({ id }) => id)).toEqual(
        byTime.filter(({ createdAt }) => createdAt >= at(0) && createdAt < at(hour)).map(({ id }) => id),
      );
      for (const call of calls) expect(await storage.journal.get(call.id)).toEqual(call);
      const written = (await gather(storage.audit.export())).map(({ callId }) => callId);
      expect(written).toEqual(calls.flatMap(({ id }) => [id, id]));
      expect(await gather(storage.audit.verify())).toEqual([]);
    });

    test('a result that is too large is omitted and marked', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open({ maxResultBytes: 1_000 });
      const small = makeCall({ result: { text: 'x'.repeat(900) } });
      const big = makeCall({ result: { text: 'x'.repeat(1_001) } });
      for (const call of [small, big]) await storage.journal.write(call);
      const { result: _, ...rest } = big;
      expect(await storage.journal.get(small.id)).toEqual(small);
      expect(await storage.journal.get(big.id)).toEqual({ ...rest, resultOmitted: true });
    });

    test('names that are too long for an index are accepted', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      for (const name of ['nul \u0000', 'half \ud83d', 'x'.repeat(20_000), `${'x'.repeat(20_000)}y`, "' or 1=1; --"]) {
        const parent = { kind: 'answer', id: name } as const;
        const caller = { id: name, kind: 'client' } as const;
        const call = makeCall({ server: name, tool: name, originalName: name, caller, parent });
        await storage.journal.write(call);
        const listed = await storage.journal.list({ server: name, tool: name, caller: name, parent: name });
        expect(listed).toMatchObject([{ id: call.id, server: name, tool: name, caller, parent }]);
        expect(await storage.journal.get(call.id)).toEqual(call);
      }
    });

    test('exactly one of many concurrent claims gets an idempotency key', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const claims = Array.from({ length: 20 }, () => ({
        caller: 'a\u0000',
        key: 'k'.repeat(5_000),
        fingerprint: 'f',
        callId: randomUUID(),
      }));
      const answers = await Promise.all(claims.map((claim) => storage.journal.claim(claim)));
      const winner = claims[answers.indexOf(undefined)];
      expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
      expect(answers.filter((answer) => answer !== undefined)).toMatchObject(Array(19).fill(winner));
      expect(await storage.journal.claim({ caller: 'b', key: 'k'.repeat(5_000), fingerprint: 'g', callId: 'x' })).toBe(
        undefined,
      );
    });

    test('exactly one of many concurrent claims gets the key of a call that was not sent, also if all have its id [O10]', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open({ clock: { now: () => 1, sleep: async () => {} } });
      const { journal } = storage;
      const claim = { caller: 'a', key: 'k', fingerprint: 'f', callId: 'x' };
      expect(await journal.claim(claim)).toBeUndefined();
      let unsent = await journal.claim(claim);
      for (const callId of ['x', 'x', 'y']) {
        const changed = { ...claim, callId, fingerprint: `f-${callId}` };
        const answers = await Promise.all(Array.from({ length: 5 }, () => journal.claim(changed, unsent)));
        expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
        unsent = answers.find((answer) => answer !== undefined);
        expect(unsent).toMatchObject(changed);
      }
      expect(await journal.claim(claim, { ...claim, callId: 'z', claimedAt: 1 })).toMatchObject({ callId: 'y' });
    });
  });
}

async function pages(journal: Journal, limit: number): Promise<CallRecord[]> {
  const found: CallRecord[] = [];
  for (;;) {
    const before = found.at(-1)?.id;
    const page = await journal.list({ limit, ...(before !== undefined && { before }) });
    if (page.length === 0) return found;
    found.push(...page);
  }
}
