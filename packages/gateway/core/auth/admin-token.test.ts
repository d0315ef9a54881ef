import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSameSecret, openAdminToken } from './admin-token.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-token-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('the admin token is created once, is readable by its owner only, and is reused by later starts', async () => {
  const dataDir = join(directory, 'new', 'data');
  const token = await openAdminToken(dataDir);
  expect(token).toMatch(/^twadmin_[A-Za-z0-9_-]{43}$/);
  expect(await openAdminToken(dataDir)).toBe(token);
  expect((await stat(join(dataDir, 'admin-token'))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['admin-token']);
});

test('processes that start at the same time read the same admin token', async () => {
  const tokens = await Promise.all(Array.from({ length: 8 }, () => openAdminToken(directory)));
  expect(new Set(tokens).size).toBe(1);
  expect(await readdir(directory)).toEqual(['admin-token']);
});

test('a token file that other users could read is made private', async () => {
  const token = await openAdminToken(directory);
  const file = join(directory, 'admin-token');
  await chmod(file, 0o644);
  expect(await openAdminToken(directory)).toBe(token);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a token file with other content is an error and is left unchanged', async () => {
  const file = join(directory, 'admin-token');
  await writeFile(file, 'hello');
  await expect(openAdminToken(directory)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(await readFile(file, 'utf8')).toBe('hello');
});

test('secrets of different lengths compare as different', () => {
  expect(isSameSecret('abc', 'abc')).toBe(true);
  expect(isSameSecret('abc', 'abcd')).toBe(false);
  expect(isSameSecret('', 'a')).toBe(false);
});

test('replicas with the same master key have the same token in their directories', async () => {
  const [one, two] = [join(directory, 'one'), join(directory, 'two')];
  await openAdminToken(one);
  const key = Buffer.alloc(32, 7);
  const token = await openAdminToken(one, key);
  expect(await openAdminToken(two, key)).toBe(token);
  expect(await openAdminToken(one)).toBe(token);
  expect(await openAdminToken(two, Buffer.alloc(32, 8))).not.toBe(token);
});
