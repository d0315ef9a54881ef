import { chmod, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ServerSpec } from '../../packages/contract/settings/config.ts';
import { createTestConnection } from '../support/connect.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

/** A program named `npx` that installs until `finish` is called, and then runs a fixture server as a child process. */
async function createRunner(server: string) {
  const dir = await tempDir();
  const [program, record, gate] = [dir.file('npx'), dir.file('record'), dir.file('gate')];
  const { command, args, env } = fixture(server);
  await writeFile(record, '');
  await writeFile(
    program,
    `#!${process.execPath}
    const { spawn } = require('node:child_process');
    const { appendFileSync, existsSync } = require('node:fs');
    const note = (event) => appendFileSync(${JSON.stringify(record)}, event + '\\n');
    note('started');
    const installing = setInterval(() => {
      if (!existsSync(${JSON.stringify(gate)})) return;
      clearInterval(installing);
      note('installed');
      const child = spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: 'inherit' });
      child.on('exit', (code) => {
        note('ended');
        process.exit(code ?? 1);
      });
    }, 20);`,
  );
  await chmod(program, 0o755);
  return {
    finish: () => writeFile(gate, ''),
    events: async () => (await readFile(record, 'utf8')).split('\n').filter((line) => line !== ''),
    connect(name: string, changes: Partial<ServerSpec> = {}) {
      const target = { command: program, args: ['-y', name], env: { ...env } };
      return createTestConnection(target, changes, { env: { XDG_CACHE_HOME: dir.file('cache') } });
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

test('a package runner is not ended by the timeout of its server while it installs', async () => {
  await using runner = await createRunner('legacy');
  await using connection = runner.connect('installs-slowly', { timeoutMs: 500 });
  const connecting = connection.connect();
  await waitFor(async () => (await runner.events()).length === 1, { what: 'the start' });
  await wait(1_500);
  await runner.finish();
  await connecting;
  expect(await runner.events()).toEqual(['started', 'installed']);
  expect(connection.states).toEqual(['connecting', 'connected']);
});

test('a package runner that takes longer than installTimeout is ended before the next attempt starts', async () => {
  await using runner = await createRunner('legacy');
  await using connection = runner.connect('never-installs', { timeoutMs: 100, installTimeoutMs: 1_000 });
  await expect(connection.connect()).rejects.toThrow(/Not ready within 1000 ms.*installTimeout/);
});

test('a server that hangs after its package was installed is ended by its timeout', async () => {
  await using runner = await createRunner('hang-on-start');
  await runner.finish();
  await using connection = runner.connect('hangs', { timeoutMs: 1_000, protocol: 'legacy' });
  await expect(connection.connect()).rejects.toThrow('No answer within 1000 ms after its package was installed');
});

test('runners of the same package start one after the other until it is installed', async () => {
  await using runner = await createRunner('legacy');
  await using first = runner.connect('shared-package');
  await using second = runner.connect('shared-package');
  await using third = runner.connect('shared-package');
  const connecting = [first, second].map((connection) => connection.connect());
  const cancelled = third.connect();
  await waitFor(async () => (await runner.events()).length > 0, { what: 'the start' });
  await third.disconnect();
  await expect(cancelled).rejects.toThrow();
  expect(await runner.events()).toEqual(['started']);
  await runner.finish();
  await Promise.all(connecting);
  expect(await runner.events()).toEqual(['started', 'installed', 'started', 'installed']);
});

test('a server that ignores the probe of the modern era gets its legacy handshake in a second process after the first has ended', async () => {
  await using runner = await createRunner('silent-on-unknown');
  await runner.finish();
  await using connection = runner.connect('ignores-the-probe');
  await connection.connect();
  expect(connection.status.era).toBe('legacy');
  expect(await runner.events()).toEqual(['started', 'installed', 'ended', 'started', 'installed']);
});

test.each([
  ['pulls nothing', []],
  ['has pulled its image', ["Unable to find image 'image' locally", 'Status: Downloaded newer image for image:latest']],
])('a container that hangs is ended by the timeout of its server if it %s', async (_case, lines) => {
  await using dir = await tempDir();
  const program = dir.file('docker');
  const print = `for (const line of ${JSON.stringify(lines)}) console.error(line);`;
  await writeFile(program, `#!${process.execPath}\n${print}\nprocess.stdin.resume().on('end', () => process.exit());`);
  await chmod(program, 0o755);
  const target = { command: program, args: ['run', '-i', 'image'], env: {} };
  await using connection = createTestConnection(target, { timeoutMs: 1_000, protocol: 'legacy' });
  await expect(connection.connect()).rejects.toThrow('No answer within 1000 ms');
});
