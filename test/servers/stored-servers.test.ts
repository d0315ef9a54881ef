import { expect, test } from 'vitest';
import type { NativeServer } from '../../packages/contract/settings/server-schema.ts';
import { createStoredServers, type StoredServersToolbox } from '../../packages/gateway/core/servers/stored-servers.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { defaultConfig } from '../../packages/toolwharf/config/default-servers.ts';
import { newServerRecordSchema } from '../../packages/toolwharf/config/server-record.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import { at, makeServer } from '../storage/records.ts';
import { tempDir } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

test('a stored token replaces a default server that has none, and removing it brings the default back', async () => {
  await using directory = await tempDir();
  await using storage = await openStorage({ kind: 'memory' });
  const config = await defaultConfig({ env: {}, dataDir: directory.path });
  const running = new Map<string, NativeServer | undefined>(config.servers.map(({ name }) => [name, undefined]));
  const toolbox: StoredServersToolbox = {
    config,
    loaded: { isDefault: true },
    servers: {
      get: (name) => (running.has(name) ? ({ name } as never) : undefined),
      add: async (name, server) => running.set(name, server),
      update: async (name, server) => running.set(name, server),
      remove: async (name) => void running.delete(name),
      forgetSignIn: async () => {},
    },
    on: () => () => {},
  };
  const options = { toolbox, store: storage.servers, log: silentLog, allowsPrograms: () => true, onChange: () => {} };
  const stored = createStoredServers(options);
  const toRecord = (name: string, server: NativeServer) => newServerRecordSchema.parse({ ...server, name });

  const github = stored.findWithoutToken('github');
  expect(github?.variable).toBe('GITHUB_TOKEN');
  await stored.add(toRecord('github', github?.withToken('secret') ?? { command: '' }));
  expect(running.get('github')).toMatchObject({ enabled: true, authentication: { type: 'bearer', token: 'secret' } });
  expect(await stored.find('github')).toMatchObject({ enabled: true });

  // After a restart, the stored server replaces the default one again.
  running.set('github', undefined);
  const restarted = createStoredServers(options);
  await restarted.start();
  expect(running.get('github')).toMatchObject({ enabled: true });

  await restarted.remove('github');
  expect(running.get('github')).toMatchObject({ enabled: false });
  // A default server that works keeps its name.
  await expect(restarted.add(toRecord('filesystem', { command: 'other' }))).rejects.toThrow('choose another name');
  expect(restarted.findWithoutToken('filesystem')).toBeUndefined();
});

test('recording a connection is no change of the server, and does not bring back one that another replica removed', async () => {
  await using directory = await tempDir();
  await using storage = await openStorage({ kind: 'memory' });
  const config = await defaultConfig({ env: {}, dataDir: directory.path });
  let announce: (event: object) => void = () => {};
  const toolbox = {
    config,
    loaded: { isDefault: false },
    servers: { get: () => undefined, add: async () => {}, update: async () => {}, remove: async () => {} },
    on(name: string, listener: typeof announce) {
      if (name === 'server.changed') announce = listener;
      return () => {};
    },
  } as unknown as StoredServersToolbox;
  /** What another replica does between the read and the write of this one. */
  let meanwhile: () => Promise<unknown> = async () => {};
  let recorded = 0;
  const store: typeof storage.servers = {
    ...storage.servers,
    replace: () => Promise.reject(new Error('A whole record was written')),
    async touch(id, at) {
      await meanwhile();
      await storage.servers.touch(id, at);
      recorded++;
    },
  };
  createStoredServers({ toolbox, store, log: silentLog, allowsPrograms: () => true, onChange: () => {} });
  const record = makeServer({ name: 'files', description: 'first' });
  await storage.servers.put(record);
  const connect = async (lastConnectedAt: string) => {
    const before = recorded;
    announce({ server: 'files', status: { state: 'connected', lastConnectedAt } });
    await waitFor(() => recorded > before, { what: 'the record' });
  };

  meanwhile = () => storage.servers.put({ ...record, description: 'second' });
  await connect(at(1));
  const edited = { description: 'second', lastConnectedAt: at(1), revision: 2 };
  expect(await storage.servers.get(record.id)).toMatchObject(edited);
  meanwhile = () => storage.servers.remove(record.id);
  await connect(at(2));
  expect(await storage.servers.list()).toEqual([]);
});
