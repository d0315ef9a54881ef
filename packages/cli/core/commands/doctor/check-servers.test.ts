import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findProgram } from './check-servers.ts';

const directory = await mkdtemp(join(tmpdir(), 'toolwharf-program-'));
afterAll(() => rm(directory, { recursive: true }));
await mkdir(join(directory, 'bin', 'folder'), { recursive: true });
for (const [name, mode] of [
  ['runs', 0o755],
  ['text', 0o644],
] as const) {
  await writeFile(join(directory, 'bin', name), '');
  await chmod(join(directory, 'bin', name), mode);
}
const find = (command: string, env = { PATH: `/nowhere:${join(directory, 'bin')}` }) =>
  findProgram(command, { env, cwd: directory, platform: 'linux' });

test('a command name is searched on PATH, and a path is resolved from the working directory', async () => {
  expect(await find('runs')).toBe(join(directory, 'bin', 'runs'));
  expect(await find('./bin/runs')).toBe(join(directory, 'bin', 'runs'));
  expect(await find(join(directory, 'bin', 'runs'), { PATH: '' })).toBe(join(directory, 'bin', 'runs'));
});

test('a missing file, a directory and a file that is not executable are not found', async () => {
  expect(await Promise.all(['missing', 'folder', 'text', 'bin/missing'].map((command) => find(command)))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('on Windows the extensions of PATHEXT are tried', async () => {
  await writeFile(join(directory, 'bin', 'tool.CMD'), '', { mode: 0o755 });
  const env = { PATH: join(directory, 'bin'), PATHEXT: '.EXE;.CMD' };
  expect(await findProgram('tool', { env, cwd: directory, platform: 'win32' })).toBe(
    join(directory, 'bin', 'tool.CMD'),
  );
});
