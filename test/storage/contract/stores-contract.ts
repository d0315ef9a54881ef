import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { pinKey } from '../../../packages/toolwharf/catalog/pins.ts';
import type { Account } from '../../../packages/toolwharf/connections/accounts/account-store.ts';
import type {
  OAuthClientRecord,
  OAuthTokensRecord,
} from '../../../packages/toolwharf/connections/authentication/oauth-store.ts';
import { hashOf } from '../../../packages/toolwharf/kernel/canonical-json.ts';
import type { RememberedRule } from '../../../packages/toolwharf/policy/remembered-rules.ts';
import { type ApiKey, hashApiKey } from '../../../packages/toolwharf/storage/ports/key-store.ts';
import type { SavedRequest } from '../../../packages/toolwharf/storage/ports/saved-request-store.ts';
import type { StorageKind } from '../kinds.ts';
import { at } from '../records.ts';

/** The contract of the smaller stores. */
export function storesContract(kind: StorageKind): void {
  describe(`stores in ${kind.name}`, () => {
    test('a pin is stored by server address and tool, and a later pin replaces it', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const serverAddress = `https://example.com/${'x'.repeat(5_000)}`;
      const definition = { name: 'read', inputSchema: { type: 'object' } };
      const pin = { serverAddress, tool: 'read', hash: 'h1', definition, acceptedAt: at(1) };
      const other = { ...pin, tool: 'nul \u0000', acceptedAt: at(2) };
      await storage.pins.setAll([{ ...pin, hash: 'h0' }]);
      await storage.pins.setAll([pin, other]);
      expect(await storage.pins.get(serverAddress, 'read')).toEqual(pin);
      expect(await storage.pins.get(serverAddress, 'write')).toBeUndefined();
      expect(await storage.pins.list()).toHaveLength(2);
      expect(await storage.pins.list()).toEqual(expect.arrayContaining([pin, other]));
    });

    test('settings of a model are stored by provider and model, replaced and removed', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { modelSettings } = storage;
      const settings = { provider: 'openai', model: 'a/b', inputPrice: 1.25, outputPrice: 10, takesImages: true };
      await modelSettings.put({ ...settings, inputPrice: 2 });
      await modelSettings.put(settings);
      await modelSettings.put({ provider: 'openai', model: 'a', takesImages: false });
      expect(await modelSettings.get('openai', 'a/b')).toEqual(settings);
      expect(await modelSettings.get('google', 'a/b')).toBeUndefined();
      expect((await modelSettings.list()).map(({ model }) => model)).toEqual(['a', 'a/b']);
      expect(await modelSettings.remove('openai', 'a/b')).toBe(true);
      expect(await modelSettings.remove('openai', 'a/b')).toBe(false);
      expect(await modelSettings.list()).toHaveLength(1);
    });

    test('a pin of a new tool is another acceptance than that of the same definition after a person accepted it', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const definition = { name: 'x', inputSchema: { type: 'object' } };
      const pin = { serverAddress: 'a', tool: 'x', hash: 'h', definition, acceptedAt: at(1) };
      await storage.pins.setAll([{ ...pin, isNew: true }]);
      expect((await storage.pins.readHashes('a')).get('x')).toMatchObject({ hash: 'h', isNew: true });
      expect(await storage.pins.list()).toMatchObject([{ isNew: true }]);
      expect((await storage.pins.listHashes()).get(pinKey(pin))).toBe('new h');
      await storage.pins.setAll([pin]);
      expect((await storage.pins.get('a', 'x'))?.isNew).toBeUndefined();
      expect((await storage.pins.listHashes()).get(pinKey(pin))).toBe('h');
    });

    test('the pins of a server with thousands of tools are written and read together, whatever their names', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const definition = { name: 'x', inputSchema: { type: 'object' } };
      const toPin = (tool: string) => ({
        serverAddress: 'a',
        tool,
        hash: hashOf(tool),
        definition,
        acceptedAt: at(1),
      });
      const names = [
        ...Array.from({ length: 5_000 }, (_, number) => `tool_${number}`),
        'nul \u0000',
        'x'.repeat(1_000),
      ];
      await storage.pins.setAll([...names.map(toPin), { ...toPin('tool_1'), serverAddress: 'b', hash: 'other' }]);
      await storage.pins.setSuffixed('a', ['tool_7', 'unknown']);
      const hashes = await storage.pins.readHashes('a');
      for (const name of names) expect(hashes.get(name)?.hash).toBe(hashOf(name));
      expect(hashes.get('unknown')).toBeUndefined();
      expect([hashes.get('tool_7')?.suffixed, hashes.get('tool_8')?.suffixed]).toEqual([true, undefined]);
      expect(await storage.pins.get('a', 'tool_7')).toEqual({ ...toPin('tool_7'), suffixed: true });
      const ofServer = await storage.pins.readAll('a');
      expect(ofServer.map(({ tool }) => tool).toSorted()).toEqual(names.toSorted());
      expect(ofServer).toContainEqual({ ...toPin('tool_7'), suffixed: true });
      expect(await storage.pins.readAll('unknown')).toEqual([]);
      const all = await storage.pins.list();
      expect(all).toHaveLength(names.length + 1);
      const paged: (typeof all)[number][] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page = await storage.pins.list({ after, limit: 1_500 });
        paged.push(...page);
        after = page.length < 1_500 ? undefined : pinKey(page.at(-1) ?? toPin(''));
      }
      expect(paged).toEqual(all);
    });

    test('rules are listed and revoked', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const rule = (createdAt: string): RememberedRule => ({
        id: randomUUID(),
        scope: 'tool',
        answer: 'allow',
        serverAddress: 'a',
        tool: 't',
        createdAt,
      });
      const [one, two] = [rule(at(1)), rule(at(2))];
      expect(await storage.rules.list()).toEqual([]);
      await storage.rules.add(one);
      expect(await storage.rules.list()).toEqual([one]);
      await storage.rules.add(two);
      expect(await storage.rules.list()).toEqual([one, two]);
      expect(await storage.rules.remove(one.id)).toBe(true);
      expect(await storage.rules.remove(one.id)).toBe(false);
      expect(await storage.rules.list()).toEqual([two]);
    });

    test('overrides of thousands of tools are written together, and one that changes nothing is removed', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const off = Array.from({ length: 2_000 }, (_, index) => ({ server: 's', tool: `t${index}`, enabled: false }));
      await storage.toolOverrides.setAll(off);
      await storage.toolOverrides.setAll([
        ...off.slice(2).map((override) => ({ ...override, enabled: true })),
        { tool: 't0', enabled: true, name: 'local \u0000' },
      ]);
      const left = [...(await storage.toolOverrides.list())].sort(
        (a, b) => (a.server ?? '').localeCompare(b.server ?? '') || a.tool.localeCompare(b.tool),
      );
      expect(left).toEqual([{ tool: 't0', enabled: true, name: 'local \u0000' }, off[0], off[1]]);
    });

    test('sign-ins are stored by server and kind, and removed one by one or together', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { oauth } = storage;
      const tokens: OAuthTokensRecord = { access_token: 'a', token_type: 'Bearer', issuer: 'https://as' };
      const client: OAuthClientRecord = { client_id: 'id', issuer: 'https://as', redirect_uris: ['http://127.0.0.1/'] };
      await oauth.set('one', 'tokens', { ...tokens, access_token: 'old' });
      await oauth.set('one', 'tokens', tokens);
      await oauth.set('one', 'client', client);
      await oauth.set('two', 'tokens', tokens);
      expect(await oauth.get('one', 'tokens')).toEqual(tokens);
      expect(await oauth.get('one', 'client')).toEqual(client);
      expect(await oauth.get('one', 'pending')).toBeUndefined();
      await oauth.delete('one', 'tokens');
      expect(await oauth.get('one', 'tokens')).toBeUndefined();
      expect(await oauth.get('one', 'client')).toEqual(client);
      await oauth.delete('one');
      expect(await oauth.get('one', 'client')).toBeUndefined();
      expect(await oauth.get('two', 'tokens')).toEqual(tokens);
      const taken = await Promise.all([oauth.take?.('two', 'tokens'), oauth.take?.('two', 'tokens')]);
      expect(taken.filter((record) => record !== undefined)).toEqual([tokens]);
      expect(await oauth.get('two', 'tokens')).toBeUndefined();
    });

    test('an API key is found by its hash until it is revoked', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { keys } = storage;
      const key: ApiKey = { id: '1', name: 'ci', hash: hashApiKey('one'), rights: ['call'], createdAt: at(1) };
      const other: ApiKey = { ...key, id: '2', hash: hashApiKey('two'), profile: 'team', rights: [], createdAt: at(2) };
      await keys.add(key);
      await keys.add(other);
      expect(await keys.list()).toEqual([key, other]);
      expect(await keys.findByHash(hashApiKey('two'))).toEqual(other);
      expect(await keys.findByHash('two')).toBeUndefined();
      await keys.touch(key.id, at(100));
      await keys.touch(key.id, at(159));
      expect(await keys.get(key.id)).toEqual({ ...key, lastUsedAt: at(100) });
      await keys.touch(key.id, at(160));
      await keys.touch('nobody', at(160));
      expect(await keys.revoke(key.id, at(200))).toBe(true);
      expect(await keys.revoke(key.id, at(300))).toBe(false);
      expect(await keys.revoke('nobody', at(300))).toBe(false);
      expect(await keys.findByHash(key.hash)).toBeUndefined();
      expect(await keys.get(key.id)).toEqual({ ...key, lastUsedAt: at(160), revokedAt: at(200) });
      expect(await keys.get('nobody')).toBeUndefined();
    });

    test('saved requests are listed for their owner, and the shared ones for everybody', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { savedRequests } = storage;
      const save = (name: string, owner: string, shared = false): SavedRequest => ({
        id: randomUUID(),
        name,
        owner,
        shared,
        tool: 'files__read',
        arguments: { path: `/${name}`, nul: '\u0000' },
        createdAt: at(1),
        updatedAt: at(1),
      });
      const [b, a, shared, other] = [save('b', 'one'), save('A', 'one'), save('c', 'two', true), save('d', 'two')];
      for (const request of [b, a, shared, other]) await savedRequests.put(request);
      expect(await savedRequests.list('one')).toEqual([a, b, shared]);
      expect(await savedRequests.list('two')).toEqual([shared, other]);
      expect(await savedRequests.count('one')).toBe(2);
      const renamed = { ...b, name: 'z', shared: true, updatedAt: at(2) };
      await savedRequests.put(renamed);
      expect(await savedRequests.get(b.id)).toEqual(renamed);
      expect(await savedRequests.list('two')).toEqual([shared, other, renamed]);
      expect(await savedRequests.remove(b.id)).toBe(true);
      expect(await savedRequests.remove(b.id)).toBe(false);
      expect(await savedRequests.get(b.id)).toBeUndefined();
    });

    test('vectors are stored by key, and a second writer of the same vector changes nothing', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { vectors } = storage;
      const many = new Map(
        Array.from({ length: 600 }, (_, number) => [`key-${number}`, Float32Array.of(number, -0.25, 1 / 3)]),
      );
      await Promise.all([vectors.putAll(many), vectors.putAll(many)]);
      expect(await vectors.getAll([...many.keys(), 'unknown'])).toEqual(many);
      expect(await vectors.getAll([])).toEqual(new Map());
    });

    test('accounts are listed by server and owner, and each owner has one default at a server', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { accounts } = storage;
      const account = (label: string, owner: string, server: string, second: number): Account => ({
        id: randomUUID(),
        ...{ label, owner, server, state: 'connected', isDefault: true, address: 'a' },
        createdAt: at(second),
        values: { token: `${label} \u0000` },
      });
      const first = account('first', 'alice', 'notes', 1);
      const second = account('second', 'alice', 'notes', 2);
      const elsewhere = account('elsewhere', 'alice', 'mail', 3);
      const ofBob = account('first', 'bob', 'notes', 4);
      for (const one of [first, second, elsewhere, ofBob]) await accounts.put(one);
      const changed = { ...first, isDefault: false };
      expect(await accounts.list({ server: 'notes', owner: 'alice' })).toEqual([changed, second]);
      expect(await accounts.list({ owner: 'alice' })).toEqual([changed, second, elsewhere]);
      expect(await accounts.list()).toHaveLength(4);
      await accounts.put({ ...second, isDefault: false, state: 'pending', values: undefined });
      expect(await accounts.get(second.id)).toEqual(
        withoutUndefined({ ...second, isDefault: false, state: 'pending', values: undefined }),
      );
      expect((await accounts.list({ state: 'pending' })).map(({ id }) => id)).toEqual([second.id]);
      expect(await accounts.remove(first.id)).toBe(true);
      expect(await accounts.remove(first.id)).toBe(false);
      expect(await accounts.get(first.id)).toBeUndefined();
      expect(await accounts.list({ server: 'notes', owner: 'bob' })).toEqual([ofBob]);
    });

    test('meta values are stored by name', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      expect(await storage.meta.get('a')).toBeUndefined();
      await storage.meta.set('a', '1');
      await storage.meta.set('a', '2');
      expect(await storage.meta.get('a')).toBe('2');
    });
  });
}

function withoutUndefined<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}
