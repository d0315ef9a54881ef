import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashApiKey } from '../../packages/toolwharf/storage/ports/key-store.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { createPostgresWorkspace, createSqliteWorkspace, type Workspace } from './kinds.ts';
import { at, gather, makeCall, makeServer } from './records.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const kinds = [
  {
    name: 'sqlite',
    createWorkspace: async () => {
      const workspace = createSqliteWorkspace();
      return { workspace, dump: async () => dumpFiles(dirname(workspace.file)) };
    },
  },
  {
    name: 'postgres',
    createWorkspace: async () => {
      const workspace = await createPostgresWorkspace(postgres);
      return { workspace, dump: () => dumpTables(workspace) };
    },
  },
];

for (const kind of kinds) {
  describe(`secrets in ${kind.name}`, () => {
    test('secrets are never stored as plain text [R17]', async () => {
      const { workspace, dump } = await kind.createWorkspace();
      using _workspace = workspace;
      const planted = [
        'env',
        'header',
        'bearer',
        'argument',
        'query',
        'access',
        'refresh',
        'client',
        'verifier',
        'key',
        'provider',
        'address',
        'account',
        'plugin',
      ].map((name) => `PLANTED-${name}-${randomBytes(6).toString('hex')}`);
      await using storage = await workspace.open();
      await plant(storage, planted);
      await storage.journal.write(makeCall({ arguments: { marker: 'MARKER-in-clear' } }));
      const open = await dump();
      expect(open).toContain('MARKER-in-clear');
      expect(planted.filter((secret) => open.includes(secret))).toEqual([]);
      const exported = JSON.stringify(await gather(storage.audit.export()));
      expect(planted.filter((secret) => exported.includes(secret))).toEqual([]);
      const next = createSealer(randomBytes(32));
      expect(await storage.reseal(next)).toBe(8);
      await storage.close();
      const closed = await dump();
      expect(planted.filter((secret) => closed.includes(secret))).toEqual([]);
    });

    test('secrets cannot be opened in another record', async () => {
      const { workspace } = await kind.createWorkspace();
      using _workspace = workspace;
      await using storage = await workspace.open();
      const [own, other] = [makeServer({ name: 'own' }), makeServer({ name: 'other' })];
      await storage.servers.put(own);
      await storage.servers.put(other);
      await workspace.sql(
        "update records set body = (select body from records where name = 'other') where name = 'own'",
      );
      await expect(storage.servers.get(own.id)).rejects.toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
        data: { record: `servers/${own.id}` },
      });
      expect(await storage.servers.get(other.id)).toMatchObject(other);
    });

    test('secrets require the right key when the storage opens', async () => {
      const { workspace } = await kind.createWorkspace();
      using _workspace = workspace;
      await (await workspace.open()).close();
      const wrong = workspace.open({ sealer: createSealer(randomBytes(32)) });
      await expect(wrong).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await expect(wrong).rejects.toThrow(/key does not open the secrets.*TOOLWHARF_KEY/);
      await (await workspace.open()).close();
    });

    test('secrets can be opened only with the new key after the key is changed', async () => {
      const { workspace } = await kind.createWorkspace();
      using _workspace = workspace;
      const next = createSealer(randomBytes(32));
      const servers = Array.from({ length: 250 }, (_, index) => makeServer({ name: `server-${1000 + index}` }));
      {
        await using storage = await workspace.open();
        for (const server of servers) await storage.servers.put(server);
        await storage.oauth.set('a', 'client', { client_id: 'c', issuer: 'https://as' });
        expect(await storage.reseal(next)).toBe(251);
        expect(await storage.servers.list()).toMatchObject(servers);
        await storage.servers.put({ ...(servers[0] as (typeof servers)[0]), enabled: false });
      }
      await expect(workspace.open()).rejects.toThrow(/key does not open/);
      await using storage = await workspace.open({ sealer: next });
      expect(await storage.servers.list()).toMatchObject(
        servers.with(0, { ...(servers[0] as (typeof servers)[0]), enabled: false }),
      );
      expect(await storage.oauth.get('a', 'client')).toEqual({ client_id: 'c', issuer: 'https://as' });
      expect(await storage.reseal(next)).toBe(0);
    });

    test('secrets are all re-encrypted when an interrupted change of the key is repeated', async () => {
      const { workspace } = await kind.createWorkspace();
      using _workspace = workspace;
      const [next, third] = [createSealer(randomBytes(32)), createSealer(randomBytes(32))];
      const servers = Array.from({ length: 150 }, (_, index) => makeServer({ name: `server-${1000 + index}` }));
      const client = { client_id: 'c', issuer: 'https://as' };
      {
        await using storage = await workspace.open();
        for (const server of servers) await storage.servers.put(server);
        await storage.oauth.set('a', 'client', client);
        // The last record cannot be opened, so the change stops there, as it would in a crash.
        await workspace.sql("update oauth_records set sealed = sealed || 'x'");
        await expect(storage.reseal(next)).rejects.toThrow(/oauth.*can't be opened/);
      }
      await workspace.sql('update oauth_records set sealed = substr(sealed, 1, length(sealed) - 1)');
      await expect(workspace.open({ sealer: next })).rejects.toThrow(/begun and not finished/);
      await expect(workspace.open({ sealer: third })).rejects.toThrow(/key does not open/);
      await using storage = await workspace.open();
      await expect(storage.servers.list()).rejects.toThrow(/sealed with another key/);
      await expect(storage.reseal(third)).rejects.toThrow(/change to another key was begun/);
      expect(await storage.reseal(next)).toBe(1);
      expect(await storage.servers.list()).toMatchObject(servers);
      expect(await storage.oauth.get('a', 'client')).toEqual(client);
      await storage.close();
      await (await workspace.open({ sealer: next })).close();
    });
  });
}

test('the key cannot be changed while other processes use the database', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await workspace.open();
  {
    await using _other = await workspace.open();
    await expect(one.reseal(createSealer(randomBytes(32)))).rejects.toThrow(/other processes use it: stop \d+ on /);
  }
  await one.reseal(createSealer(randomBytes(32)));
});

async function plant(storage: Storage, secrets: readonly string[]): Promise<void> {
  const [
    env,
    header,
    bearer,
    argument,
    query,
    access,
    refresh,
    client,
    verifier,
    key,
    provider,
    address,
    account,
    plugin,
  ] = secrets as string[] & {
    0: string;
  };
  const issuer = 'https://as.example';
  const http = makeServer({ url: `https://example.com/mcp?token=${query}`, headers: { 'x-key': header ?? '' } });
  await storage.servers.put({ ...http, authentication: { type: 'bearer', token: bearer ?? '' } });
  await storage.servers.put(
    makeServer({
      transport: 'stdio',
      url: undefined,
      headers: undefined,
      authentication: { type: 'none' },
      command: 'node',
      args: [`--token=${argument}`],
      env: { TOKEN: env },
    }),
  );
  await storage.oauth.set(`s ${http.url}`, 'tokens', {
    access_token: access ?? '',
    refresh_token: refresh,
    token_type: 'Bearer',
    issuer,
  });
  await storage.oauth.set(`s ${http.url}`, 'client', { client_id: 'c', client_secret: client, issuer });
  await storage.oauth.set(`s ${http.url}`, 'pending', {
    state: 's',
    codeVerifier: verifier ?? '',
    authorizationUrl: issuer,
    redirectUrl: issuer,
    startedAt: 0,
    discovery: { authorizationServerUrl: issuer },
    client: { client_id: 'c', issuer },
  });
  await storage.providers.put({
    id: randomUUID(),
    name: 'ours',
    kind: 'openai-compatible',
    baseUrl: `https://models.example/${address}`,
    allowInsecure: false,
    apiKey: provider,
  });
  await storage.accounts.put({
    ...{ id: randomUUID(), server: 's', owner: 'ada', label: 'l', state: 'connected', isDefault: true, address: 'a' },
    createdAt: at(0),
    values: { token: account ?? '' },
  });
  const records = storage.openPluginRecords('vault', 'entries', { isSealed: true });
  await records.put({ id: '1', text: plugin } as { id: string });
  await storage.keys.add({ id: '1', name: 'k', hash: hashApiKey(key ?? ''), rights: [], createdAt: at(0) });
}

function dumpFiles(directory: string): string {
  const files = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'latin1'));
  return files.join('\n');
}

async function dumpTables({ sql }: Workspace): Promise<string> {
  const tables = await sql(
    'select table_name as name from information_schema.tables where table_schema = current_schema()',
  );
  expect(tables.length).toBeGreaterThan(10);
  const rows = await Promise.all(tables.map(({ name }) => sql(`select * from ${name}`)));
  return JSON.stringify(rows);
}
