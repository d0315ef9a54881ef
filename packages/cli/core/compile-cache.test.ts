import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cacheDirectory, isPrivateDirectory } from './compile-cache.ts';

const directory = await mkdtemp(join(tmpdir(), 'toolwharf-cache-'));
afterAll(() => rm(directory, { recursive: true }));

test('the compile cache is in the cache directory of the platform', () => {
  expect(cacheDirectory({ HOME: '/home/ada' }, 'linux')).toBe(join('/home/ada', '.cache', 'toolwharf'));
  expect(cacheDirectory({ HOME: '/home/ada', XDG_CACHE_HOME: '/fast' }, 'linux')).toBe(join('/fast', 'toolwharf'));
  expect(cacheDirectory({ HOME: '/Users/ada' }, 'darwin')).toBe(join('/Users/ada', 'Library', 'Caches', 'Toolwharf'));
  expect(cacheDirectory({ LOCALAPPDATA: 'C:/Local' }, 'win32')).toBe(join('C:/Local', 'Toolwharf', 'Cache'));
});

test('the cache directory is created with access for its owner only', async () => {
  const fresh = join(directory, 'some', 'where');
  expect(isPrivateDirectory(fresh)).toBe(true);
  expect((await stat(fresh)).mode & 0o777).toBe(0o700);
  expect(isPrivateDirectory(fresh)).toBe(true);
});

test('a symbolic link, a file, and a directory that others can write to are not used as cache', async () => {
  const shared = join(directory, 'shared');
  await mkdir(shared);
  await chmod(shared, 0o770);
  const link = join(directory, 'link');
  await symlink(tmpdir(), link);
  const file = join(directory, 'file');
  await writeFile(file, '');
  expect([shared, link, file, join(file, 'below')].map(isPrivateDirectory)).toEqual([false, false, false, false]);
});
