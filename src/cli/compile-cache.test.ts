import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cacheDirectory, isOurs } from './compile-cache.ts';

const directory = await mkdtemp(join(tmpdir(), 'toolwharf-cache-'));
afterAll(() => rm(directory, { recursive: true }));

test('the cache is where the platform keeps what can be made again', () => {
  expect(cacheDirectory({ HOME: '/home/ada' }, 'linux')).toBe(join('/home/ada', '.cache', 'toolwharf'));
  expect(cacheDirectory({ HOME: '/home/ada', XDG_CACHE_HOME: '/fast' }, 'linux')).toBe(join('/fast', 'toolwharf'));
  expect(cacheDirectory({ HOME: '/Users/ada' }, 'darwin')).toBe(join('/Users/ada', 'Library', 'Caches', 'Toolwharf'));
  expect(cacheDirectory({ LOCALAPPDATA: 'C:/Local' }, 'win32')).toBe(join('C:/Local', 'Toolwharf', 'Cache'));
});

test('a directory is made for its owner alone', async () => {
  const fresh = join(directory, 'some', 'where');
  expect(isOurs(fresh)).toBe(true);
  expect((await stat(fresh)).mode & 0o777).toBe(0o700);
  expect(isOurs(fresh)).toBe(true);
});

test('a directory that others may write to, a link and what is no directory are not used', async () => {
  const shared = join(directory, 'shared');
  await mkdir(shared);
  await chmod(shared, 0o770);
  const link = join(directory, 'link');
  await symlink(tmpdir(), link);
  const file = join(directory, 'file');
  await writeFile(file, '');
  expect([shared, link, file, join(file, 'below')].map(isOurs)).toEqual([false, false, false, false]);
});
