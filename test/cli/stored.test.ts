import { readdir, writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '../../packages/cli/core/client/open-store.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);

test('keys, profiles and scripts are managed without a running gateway, which has them when it starts', async () => {
  const config = await cli.config({ servers: { files: fixture('legacy') } });
  const run = (...args: string[]) => cli.run([...args, '-c', config]);
  const read = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);
  expect(await run('keys', 'create', 'early')).toMatchObject({ code: 4, stdout: '' });
  expect(await run('assistants', 'add', 'Helper')).toMatchObject({ code: 0 });

  const created = await run('keys', 'create', 'laptop', '--right', 'read');
  expect(created).toMatchObject({ code: 0, source: `Using ${directory.file('data')} without a gateway` });
  const key = created.stdout.trim();
  expect(await read('keys')).toMatchObject([{ name: 'laptop', rights: ['read'] }]);
  expect(await run('profiles', 'create', 'mine', '--allow', 'files/echo')).toMatchObject({ code: 0 });
  await writeFile(directory.file('one.ts'), 'return 1;');
  expect(await run('scripts', 'save', 'one', directory.file('one.ts'))).toMatchObject({ code: 0 });
  expect(await read('scripts')).toMatchObject([{ name: 'one' }]);
  expect(await read('calls')).toEqual([]);
  expect(await run('keys', '--local')).toMatchObject({ code: 2 });
  expect(await run('calls', 'cancel', 'x')).toMatchObject({ code: 4 });

  await using gateway = await startGatewayHere(cli, directory.file('data'), ['-c', config]);
  const headers = { authorization: `Bearer ${key}` };
  expect(await (await fetch(`${gateway.url}/api/tools`, { headers })).json()).toHaveProperty('tools');
  expect((await read('profiles')).map(({ name }: { name: string }) => name)).toContain('mine');
  expect((await run('audit', 'export')).stdout).toContain('"originalName":"createKey"');
});

test('a command waits for another one that uses the store for a moment', async () => {
  const options = { dataDir: directory.file('busy'), env: {} };
  const first = await openStore(options);
  const second = openStore(options);
  await first.storage.close();
  await (await second).storage.close();
});

test('a command without a gateway and a configuration leaves no folder for the default servers', async () => {
  const env = { TOOLWHARF_DATA_DIR: directory.file('bare') };
  await using empty = await tempDir();
  await using gateway = await startGatewayHere(cli, env.TOOLWHARF_DATA_DIR, ['-c', await cli.config({ servers: {} })]);
  await gateway[Symbol.asyncDispose]();
  expect(await cli.run(['keys'], { env, cwd: empty.path })).toMatchObject({ code: 0 });
  expect(await readdir(env.TOOLWHARF_DATA_DIR)).not.toContain('files');
});
