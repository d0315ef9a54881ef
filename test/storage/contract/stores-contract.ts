import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { pinKey } from '../../../src/catalog/pins.ts';
import type { Account } from '../../../src/connections/accounts/account-store.ts';
import type { OAuthClientRecord, OAuthTokensRecord } from '../../../src/connections/authentication/oauth-store.ts';
import { hashOf } from '../../../src/kernel/canonical-json.ts';
import type { RememberedRule } from '../../../src/policy/remembered-rules.ts';
import { assistantSchema } from '../../../src/storage/ports/assistant-store.ts';
import { type ApiKey, hashApiKey } from '../../../src/storage/ports/key-store.ts';
import { providerSchema } from '../../../src/storage/ports/provider-store.ts';
import type { SavedRequest } from '../../../src/storage/ports/saved-request-store.ts';
import type { StorageKind } from '../kinds.ts';
import { at, makeServer } from '../records.ts';

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

    test('profiles are added, replaced, removed and listed by name, and two cannot have the same name', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const profile = (name: string) => ({ id: randomUUID(), name, deny: ['a/*'], createdAt: at(1), updatedAt: at(1) });
      const [one, two] = [profile('b'), profile('a')];
      await storage.profiles.put(one);
      await storage.profiles.put(two);
      expect(await storage.profiles.list()).toEqual([two, one]);
      await expect(storage.profiles.put(profile('a'))).rejects.toMatchObject({ code: 'CONFLICT' });
      const changed = { ...one, approval: { mode: 'auto' as const, expires: 60_000 }, updatedAt: at(2) };
      await storage.profiles.put(changed);
      expect(await storage.profiles.get(one.id)).toEqual(changed);
      expect(await storage.profiles.remove(two.id)).toBe(true);
      expect(await storage.profiles.remove(two.id)).toBe(false);
      expect(await storage.profiles.list()).toEqual([changed]);
    });

    test('saved scripts are added, replaced, removed and listed by name, and two cannot have the same name', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const script = (name: string) => ({ id: randomUUID(), name, code: '1', createdAt: at(1), updatedAt: at(1) });
      const [one, two] = [script('b'), script('a')];
      await storage.scripts.put(one);
      await storage.scripts.put(two);
      expect(await storage.scripts.list()).toEqual([two, one]);
      await expect(storage.scripts.put(script('a'))).rejects.toMatchObject({ code: 'CONFLICT' });
      const changed = { ...one, input: { type: 'object' as const }, timeoutMs: 5, updatedAt: at(2) };
      await storage.scripts.put(changed);
      expect(await storage.scripts.get(one.id)).toEqual(changed);
      expect(await storage.scripts.remove(two.id)).toBe(true);
      expect(await storage.scripts.remove(two.id)).toBe(false);
      expect(await storage.scripts.list()).toEqual([changed]);
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

    test('servers are added, replaced, removed and listed by name [R4]', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { servers } = storage;
      const [b, a] = [makeServer({ name: 'b' }), makeServer({ name: 'a' })];
      const stdio = makeServer({
        name: 'C',
        transport: 'stdio',
        url: undefined,
        headers: undefined,
        authentication: { type: 'none' },
        command: 'node',
        args: ['server.js'],
        env: { TOKEN: 'secret' },
        lastConnectedAt: at(3),
      });
      for (const record of [b, a, stdio]) await servers.put(record);
      expect(await servers.list()).toEqual([stdio, a, b].map(withoutUndefined));
      const changed = { ...a, name: 'renamed', enabled: false };
      await servers.put(changed);
      expect(await servers.get(a.id)).toEqual(changed);
      expect(await servers.remove(a.id)).toBe(true);
      expect(await servers.remove(a.id)).toBe(false);
      expect(await servers.get(a.id)).toBeUndefined();
    });

    test('two servers cannot have the same name', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const first = makeServer({ name: 'files' });
      const other = makeServer({ name: 'other' });
      for (const record of [first, first, other]) await storage.servers.put(record);
      const refused = { code: 'CONFIG_INVALID', message: /'files'/ };
      await expect(storage.servers.put(makeServer({ name: 'files' }))).rejects.toMatchObject({ code: refused.code });
      await expect(storage.servers.put({ ...other, name: 'files' })).rejects.toThrow(refused.message);
      expect(await storage.servers.get(other.id)).toEqual(other);
      const race = await Promise.allSettled(
        Array.from({ length: 5 }, () => storage.servers.put(makeServer({ name: 'new' }))),
      );
      expect(race.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
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

    test('an assistant asks before it uses a tool by default [R8]', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { assistants } = storage;
      const writer = assistantSchema.parse({ id: randomUUID(), name: 'Writer' });
      expect(writer).toMatchObject({ toolApproval: 'always-ask', serverIds: [], trustedTools: [] });
      const coder = assistantSchema.parse({
        id: randomUUID(),
        name: 'Coder',
        serverIds: ['s1'],
        toolApproval: 'trusted-only',
        trustedTools: ['mcp_files_*'],
        model: { provider: 'openai', model: 'm' },
        disabledTools: ['files/delete_*'],
        maxTokens: 5_000,
      });
      await assistants.put(writer);
      await assistants.put(coder);
      expect(await assistants.list()).toEqual([coder, writer]);
      await assistants.put({ ...coder, name: 'Zed', toolApproval: 'auto' });
      expect(await assistants.get(coder.id)).toEqual({ ...coder, name: 'Zed', toolApproval: 'auto' });
      expect((await assistants.list()).map(({ name }) => name)).toEqual(['Writer', 'Zed']);
      expect(await assistants.remove(coder.id)).toBe(true);
      expect(await assistants.remove(coder.id)).toBe(false);
      expect(await assistants.get(coder.id)).toBeUndefined();
    });

    test('model providers are added, replaced, removed and listed by name', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { providers } = storage;
      const ours = providerSchema.parse({ id: randomUUID(), name: 'Ours', kind: 'openai', apiKey: 'sk-1' });
      const local = providerSchema.parse({
        id: randomUUID(),
        name: 'Local',
        kind: 'openai-compatible',
        baseUrl: 'http://127.0.0.1:11434/v1',
      });
      await providers.put(ours);
      await providers.put(local);
      expect(await providers.list()).toEqual([local, ours]);
      await providers.put({ ...ours, name: 'A', apiKey: 'sk-2' });
      expect(await providers.get(ours.id)).toEqual({ ...ours, name: 'A', apiKey: 'sk-2' });
      expect((await providers.list()).map(({ name }) => name)).toEqual(['A', 'Local']);
      expect(await providers.remove(ours.id)).toBe(true);
      expect(await providers.remove(ours.id)).toBe(false);
      expect(await providers.get(ours.id)).toBeUndefined();
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
