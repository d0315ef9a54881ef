import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { fixture, tempDir } from '../../../../test/support/fixtures.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { parseConfig } from '../../config/load-config.ts';
import { launchServersAhead } from './server-process.ts';

test('the programs of lazy servers do not start together with the gateway', async () => {
  await using dir = await tempDir();
  const server = (lifecycle: string, name: string) => ({
    ...fixture('ledger', { START_FILE: dir.file(name) }),
    lifecycle,
  });
  const servers = { asleep: server('lazy', 'asleep'), awake: server('eager', 'awake') };
  const { config } = parseConfig({ servers } as never, { env: {} });
  await using _programs = launchServersAhead(config, {});
  const isStarted = async (name: string) => (await readFile(dir.file(name), 'utf8').catch(() => '')) !== '';
  await waitFor(() => isStarted('awake'), { what: 'the eager server' });
  expect(await isStarted('asleep')).toBe(false);
});
