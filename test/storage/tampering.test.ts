import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashStep } from '../../packages/gateway/core/storage/chain/chain.ts';
import type { AuditFinding } from '../../packages/toolwharf/storage/ports/audit.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { postgresKind, sqliteKind, type Workspace } from './kinds.ts';
import { gather, makeCall, writeSteps } from './records.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

interface Case {
  readonly what: string;
  readonly tamper: (workspace: Workspace, ids: readonly string[]) => Promise<unknown>;
  readonly found: readonly Partial<AuditFinding>[];
}

// Five calls with two steps each: call n has the steps 2n-1 and 2n.
const cases: Case[] = [
  {
    what: 'a changed step',
    tamper: ({ sql }) => sql(`update steps set body = replace(body, '"success"', '"error"') where seq = 4`),
    found: [{ seq: 4, kind: 'changed' }],
  },
  {
    what: 'a step with a changed time',
    tamper: ({ sql }) => sql(`update steps set at = '2020-01-01T00:00:00.000Z' where seq = 3`),
    found: [{ seq: 3, kind: 'changed' }],
  },
  {
    what: 'a step that was replaced together with its hash',
    tamper: (workspace) => replaceStep(workspace, 4),
    found: [{ seq: 5, kind: 'order' }],
  },
  {
    what: 'a last step that was replaced together with its hash',
    tamper: (workspace) => replaceStep(workspace, 10),
    found: [{ seq: 10, kind: 'changed' }],
  },
  {
    what: 'a last step that is no record of a call',
    tamper: async (workspace) => {
      await replaceStep(workspace, 10, '{"id":1}');
      await workspace.sql('update chain set head_hash = (select hash from steps where seq = 10)');
    },
    found: [{ seq: 10, kind: 'changed', detail: expect.stringContaining('malformed') }],
  },
  {
    what: 'a truncated step',
    tamper: ({ sql }) => sql('update steps set body = substr(body, 1, 40) where seq = 3'),
    found: [{ seq: 3, kind: 'torn' }],
  },
  {
    what: 'a removed step',
    tamper: ({ sql }) => sql('delete from steps where seq = 3'),
    found: [{ seq: 3, kind: 'missing', detail: 'Step 3 is missing' }],
  },
  {
    what: 'several removed steps',
    tamper: ({ sql }) => sql('delete from steps where seq in (5, 6, 7)'),
    found: [
      { seq: 5, kind: 'missing', detail: 'Steps 5 to 7 are missing' },
      { seq: 6, kind: 'missing' },
    ],
  },
  {
    what: 'a removed first step',
    tamper: ({ sql }) => sql('delete from steps where seq = 1'),
    found: [{ seq: 1, kind: 'missing' }],
  },
  {
    what: 'removed last steps',
    tamper: async ({ sql }) => {
      await sql('delete from calls where seq = 10');
      await sql('delete from steps where seq > 8');
    },
    found: [{ seq: 9, kind: 'missing', detail: 'Steps 9 to 10 are missing' }],
  },
  {
    what: 'the removal of all steps',
    tamper: async ({ sql }) => {
      await sql('delete from calls');
      await sql('delete from steps');
    },
    found: [{ seq: 1, kind: 'missing', detail: 'Steps 1 to 10 are missing' }],
  },
  {
    what: 'the removal of the row that says where the journal ends',
    tamper: ({ sql }) => sql('delete from chain'),
    found: [{ seq: 0, kind: 'changed', detail: expect.stringContaining('the table chain is malformed') }],
  },
  {
    what: 'a step after the end',
    tamper: ({ sql }) => sql("insert into steps values (11, 'x', '2026-01-01T00:00:00.000Z', '{}', 'x', 'x')"),
    found: [
      { seq: 11, kind: 'changed' },
      { seq: 11, kind: 'torn', detail: 'The journal ends at step 10' },
    ],
  },
  {
    what: 'a call list that differs from the steps',
    tamper: ({ sql }) => sql("update calls set status = 'error', server = 'other' where seq = 6"),
    found: [
      { seq: 6, kind: 'changed' },
      { seq: 6, kind: 'changed' },
    ],
  },
  {
    what: 'a call list with another parent',
    tamper: ({ sql }) => sql("update calls set parent = 'other' where seq = 6"),
    found: [{ seq: 6, kind: 'changed' }],
  },
  {
    what: 'a step with a changed parent',
    tamper: ({ sql }) => sql(`update steps set body = replace(body, '"answer"', '"call"') where seq = 8`),
    found: [{ seq: 8, kind: 'changed' }],
  },
  {
    what: 'a call that is missing in the call list',
    tamper: ({ sql }) => sql('delete from calls where seq = 2'),
    found: [
      { seq: 1, kind: 'torn' },
      { seq: 2, kind: 'torn' },
    ],
  },
  {
    what: 'an outdated call list',
    tamper: ({ sql }) => sql('update calls set seq = 1 where seq = 2'),
    found: [
      { seq: 1, kind: 'changed', detail: expect.stringContaining('says status') },
      { seq: 1, kind: 'changed', detail: expect.stringContaining('says outcome') },
      { seq: 2, kind: 'torn' },
    ],
  },
];

for (const kind of [sqliteKind, postgresKind(() => postgres)]) {
  describe(`an audit of ${kind.name}`, () => {
    test.each(cases)('an audit finds $what', async ({ tamper, found }) => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const ids = await writeCalls(storage);
      expect(await gather(storage.audit.verify())).toEqual([]);
      await tamper(workspace, ids);
      expect(await gather(storage.audit.verify())).toMatchObject(found);
    });

    test('an audit exports an incomplete step as its remaining text', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      await writeCalls(storage);
      await workspace.sql('update steps set body = substr(body, 1, 9) where seq = 3');
      const entries = await gather(storage.audit.export());
      expect(entries).toHaveLength(10);
      expect(entries[2]?.record).toMatch(/^\{"id":"..$/);
    });

    test('an audit finds a changed step after retention removed older ones', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      await writeCalls(storage);
      await storage.audit.retain({ maxCalls: 3 });
      expect(await gather(storage.audit.verify())).toEqual([]);
      await workspace.sql('delete from steps where seq = 5');
      expect(await gather(storage.audit.verify())).toMatchObject([{ seq: 5, kind: 'missing' }]);
    });
  });
}

async function writeCalls(storage: Storage): Promise<string[]> {
  const parent = { kind: 'answer', id: randomUUID() } as const;
  const calls = Array.from({ length: 5 }, () => makeCall({ parent }));
  await writeSteps(
    storage.journal,
    calls.flatMap((call) => [{ ...call, status: 'pending' }, call]),
  );
  return calls.map(({ id }) => id);
}

async function replaceStep({ sql }: Workspace, seq: number, newBody?: string): Promise<void> {
  const [step] = await sql(`select * from steps where seq = ${seq}`);
  const { call_id: callId, at, body, previous } = step as Record<string, string>;
  const other = {
    seq,
    callId: String(callId),
    at: String(at),
    body: newBody ?? String(body).replace('/a', '/b'),
    previous: String(previous),
  };
  const changed = newBody === undefined ? `replace(body, '/a', '/b')` : `'${newBody}'`;
  await sql(`update steps set body = ${changed}, hash = '${hashStep(other)}' where seq = ${seq}`);
}
