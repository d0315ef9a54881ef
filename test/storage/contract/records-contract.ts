import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { assistantSchema } from '../../../packages/contract/records/assistant.ts';
import { providerSchema } from '../../../packages/contract/records/provider.ts';
import { modifyRecord } from '../../../packages/gateway/core/records/modify-record.ts';
import type { RecordStore } from '../../../packages/toolwharf/storage/ports/record-store.ts';
import type { Storage } from '../../../packages/toolwharf/storage/storage.ts';
import type { StorageKind } from '../kinds.ts';
import { at, makeServer } from '../records.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

interface KindCase {
  readonly kind: string;
  readonly hasUniqueNames: boolean;
  readonly store: (storage: Storage) => RecordStore<Named>;
  readonly make: (name: string) => Named;
  /** Another value of the same record. */
  readonly change: object;
}

const times = { createdAt: at(1), updatedAt: at(1) };

const kinds: readonly KindCase[] = [
  {
    ...{ kind: 'servers', hasUniqueNames: true, change: { enabled: false, headers: { nul: '\u0000' } } },
    store: ({ servers }) => servers as unknown as RecordStore<Named>,
    make: (name) => makeServer({ name }),
  },
  {
    ...{ kind: 'profiles', hasUniqueNames: true, change: { approval: { mode: 'auto', expires: 60_000 } } },
    store: ({ profiles }) => profiles,
    make: (name) => ({ id: randomUUID(), name, deny: ['a/*'], ...times }),
  },
  {
    ...{ kind: 'scripts', hasUniqueNames: true, change: { input: { type: 'object' }, timeoutMs: 5 } },
    store: ({ scripts }) => scripts as unknown as RecordStore<Named>,
    make: (name) => ({ id: randomUUID(), name, code: '1', ...times }),
  },
  {
    ...{ kind: 'policy_rules', hasUniqueNames: true, change: { mode: 'shadow', profiles: ['team'] } },
    store: ({ policy_rules: rules }) => rules as unknown as RecordStore<Named>,
    make: (name) => ({ id: randomUUID(), name, when: 'true', then: 'ask', mode: 'enforce', ...times }),
  },
  {
    ...{ kind: 'assistants', hasUniqueNames: false, change: { toolApproval: 'auto', maxTokens: 5_000 } },
    store: ({ assistants }) => assistants as unknown as RecordStore<Named>,
    make: (name) => assistantSchema.parse({ id: randomUUID(), name, model: { provider: 'openai', model: 'm' } }),
  },
  {
    ...{ kind: 'providers', hasUniqueNames: false, change: { apiKey: 'sk-2' } },
    store: ({ providers }) => providers as unknown as RecordStore<Named>,
    make: (name) => providerSchema.parse({ id: randomUUID(), name, kind: 'openai', apiKey: 'sk-1' }),
  },
];

/** The contract of the records that administrators change, and of those of plugins. */
export function recordsContract(storageKind: StorageKind): void {
  describe.each([false, true])(`records of a plugin (sealed: %s) in ${storageKind.name}`, (isSealed) => {
    test('kinds of plugins have records of their own, with revisions, sorted by id', async () => {
      using workspace = await storageKind.createWorkspace();
      await using storage = await workspace.open();
      const notes = storage.openPluginRecords('one', 'notes', { isSealed });
      const others = ['two', 'one'].map((plugin, at) =>
        storage.openPluginRecords(plugin, at === 0 ? 'notes' : 'drafts', { isSealed }),
      );
      const note = (id: string, text = 'hush') => ({ id, text });
      for (const id of ['b', 'a/1', 'ä']) expect(await notes.put(note(id))).toEqual({ ...note(id), revision: 1 });
      for (const other of others) expect(await other.list()).toEqual([]);
      expect((await notes.list()).map(({ id }) => id)).toEqual(['a/1', 'b', 'ä']);
      const writers = [note('b', 'one'), note('b', 'two')].map((written) => notes.replace(written, 1));
      const [winner, ...rest] = (await Promise.all(writers)).filter((stored) => stored !== undefined);
      expect([winner?.revision, rest]).toEqual([2, []]);
      expect(await notes.get('b')).toEqual(winner);
      expect([await notes.remove('b', 1), await notes.remove('b', 2), await notes.get('b')]).toEqual([
        false,
        true,
        undefined,
      ]);
    });
  });

  describe.each(kinds)(`$kind in ${storageKind.name}`, ({ hasUniqueNames, store, make, change }) => {
    test('records are added, replaced with a higher revision, removed and listed by name', async () => {
      using workspace = await storageKind.createWorkspace();
      await using storage = await workspace.open();
      const records = store(storage);
      const [b, a, c] = [make('b'), make('a'), make('C')];
      for (const item of [b, a, c]) expect(await records.put(item)).toEqual({ ...item, revision: 1 });
      expect(await records.list()).toEqual([c, a, b].map((item) => ({ ...item, revision: 1 })));
      const changed = { ...a, ...change, name: 'renamed' };
      expect(await records.put(changed)).toEqual({ ...changed, revision: 2 });
      expect(await records.get(a.id)).toEqual({ ...changed, revision: 2 });
      expect((await records.list()).map(({ name }) => name)).toEqual(['C', 'b', 'renamed']);
      expect(await records.remove(a.id)).toBe(true);
      expect(await records.remove(a.id)).toBe(false);
      expect(await records.get(a.id)).toBeUndefined();
    });

    test('of two writers who read the same revision, one wins', async () => {
      using workspace = await storageKind.createWorkspace();
      await using storage = await workspace.open();
      const records = store(storage);
      const item = make('one');
      const added = await Promise.all([records.replace(item, 0), records.replace(item, 0)]);
      expect(added.filter((stored) => stored !== undefined)).toEqual([{ ...item, revision: 1 }]);
      const writers = [item, { ...item, ...change }].map((written) => records.replace(written, 1));
      const [winner, ...others] = (await Promise.all(writers)).filter((stored) => stored !== undefined);
      expect([winner?.revision, others]).toEqual([2, []]);
      expect(await records.get(item.id)).toEqual(winner);
      expect(await records.remove(item.id, 1)).toBe(false);
      expect(await records.remove(item.id, 2)).toBe(true);
    });

    test('a change that began before the record was removed does not bring it back', async () => {
      using workspace = await storageKind.createWorkspace();
      await using storage = await workspace.open();
      const records = store(storage);
      const item = make('one');
      await records.put(item);
      await records.remove(item.id);
      expect(await records.replace({ ...item, ...change }, 1)).toBeUndefined();
      await records.touch(item.id, at(9));
      expect(await records.list()).toEqual([]);
    });

    test('changes that happen at the same time are all kept', async () => {
      using workspace = await storageKind.createWorkspace();
      await using storage = await workspace.open();
      const records = store(storage);
      const item = make('x');
      await records.put(item);
      const append = (letter: string) =>
        modifyRecord(records, item.id, (current) => ({ ...current, name: `${current.name}${letter}` }));
      await Promise.all(['a', 'b', 'c', 'd'].map(append));
      const { name = '', revision } = (await records.get(item.id)) ?? {};
      expect([[...name].sort().join(''), revision]).toEqual(['abcdx', 5]);
      expect(await modifyRecord(records, item.id, () => undefined)).toBeUndefined();
      expect((await records.get(item.id))?.name).toBe(name);
    });

    test.runIf(hasUniqueNames)('two records cannot have the same name, by which they are found', async () => {
      using workspace = await storageKind.createWorkspace();
      await using storage = await workspace.open();
      const records = store(storage);
      const [first, other] = [make('files'), make('other')];
      for (const item of [first, first, other]) await records.put(item);
      expect(await records.find('files')).toEqual({ ...first, revision: 2 });
      const refused = { code: 'CONFLICT', message: expect.stringMatching(/^There is a [\w-]+ named 'files' already/) };
      await expect(records.put(make('files'))).rejects.toMatchObject(refused);
      await expect(records.put({ ...other, name: 'files' })).rejects.toMatchObject(refused);
      expect(await records.get(other.id)).toEqual({ ...other, revision: 1 });
      const race = await Promise.allSettled(Array.from({ length: 5 }, () => records.put(make('new'))));
      expect(race.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });
  });

  describe(`records in ${storageKind.name}`, () => {
    test('an assistant asks before it uses a tool by default [R8]', () => {
      const assistant = assistantSchema.parse({ id: randomUUID(), name: 'Writer' });
      expect(assistant).toMatchObject({ toolApproval: 'always-ask', serverIds: [], trustedTools: [] });
    });

    test('an assistant of an earlier version gets new defaults and loses members that are gone', async () => {
      using workspace = await storageKind.createWorkspace();
      await using storage = await workspace.open();
      const { assistants } = storage;
      const old = { id: randomUUID(), name: 'Old', settings: {}, toolApproval: 'auto' };
      await assistants.put(old as never);
      const assistant = await assistants.get(old.id);
      expect(assistant).toMatchObject({ name: 'Old', toolApproval: 'auto', maxSteps: 20 });
      expect(assistant).not.toHaveProperty('settings');
    });

    test('the time of a connection is no change of a server', async () => {
      using workspace = await storageKind.createWorkspace();
      await using storage = await workspace.open();
      const server = makeServer({ lastConnectedAt: at(1) });
      await storage.servers.put(server);
      expect(await storage.servers.get(server.id)).toEqual({ ...server, revision: 1 });
      await storage.servers.touch(server.id, at(2));
      expect(await storage.servers.get(server.id)).toEqual({ ...server, lastConnectedAt: at(2), revision: 1 });
      await storage.servers.put({ ...server, enabled: false });
      expect(await storage.servers.get(server.id)).toMatchObject({ lastConnectedAt: at(2), revision: 2 });
    });
  });
}
