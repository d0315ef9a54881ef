import { expect, test } from 'vitest';
import { defaultConfig } from '../../src/config/default-servers.ts';
import { newServerRecordSchema } from '../../src/config/server-record.ts';
import type { NativeServer } from '../../src/config/server-schema.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { createStoredServers, type StoredServersToolbox } from '../../src/servers/stored-servers.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { tempDir } from '../support/fixtures.ts';

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
