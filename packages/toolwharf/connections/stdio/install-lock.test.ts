import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/fixtures.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { installAlone } from './install-lock.ts';

/** The lock of a package that is never installed, because every start fails. */
async function setUp(name: string) {
  const dir = await tempDir();
  const directory = join(dir.path, 'toolwharf', 'installs');
  let starts = 0;
  let lock = '';
  const start = async () => {
    starts++;
    lock = join(directory, (await readdir(directory))[0] ?? '');
    throw new Error('broken package');
  };
  const options = { env: { XDG_CACHE_HOME: dir.path }, signal: new AbortController().signal, maxWaitMs: 600_000 };
  const run = (signal = options.signal) => installAlone(name, { ...options, signal }, start);
  await expect(run()).rejects.toThrow('broken package');
  return { run, lock, directory, starts: () => starts, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

test('a package runner waits while another process installs the package, and can be cancelled meanwhile', async () => {
  await using setup = await setUp('npm waits-for-others');
  expect(await readdir(setup.directory)).toEqual([]);
  await writeFile(setup.lock, 'another process');
  const cancel = new AbortController();
  const cancelled = setup.run(cancel.signal);
  cancel.abort(new Error('no longer wanted'));
  await expect(cancelled).rejects.toThrow('no longer wanted');
  const waiting = setup.run();
  waiting.catch(() => {});
  expect(setup.starts()).toBe(1);
  await rm(setup.lock);
  await expect(waiting).rejects.toThrow('broken package');
  expect(setup.starts()).toBe(2);
});

test('the lock of a process that crashed during an installation is removed', async () => {
  await using setup = await setUp('npm crashed');
  await writeFile(setup.lock, 'crashed');
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(setup.lock, longAgo, longAgo);
  await expect(setup.run()).rejects.toThrow('broken package');
  await waitFor(async () => (await readdir(setup.directory)).length === 0, { what: 'the removal' });
});

test('a package is installed once, and started at once afterwards', async () => {
  await using dir = await tempDir();
  const options = { env: { XDG_CACHE_HOME: dir.path }, signal: new AbortController().signal, maxWaitMs: 600_000 };
  const first = Promise.withResolvers<string>();
  const one = installAlone('npm once', options, () => first.promise);
  const two = installAlone('npm once', options, async () => 'second');
  first.resolve('first');
  expect(await Promise.all([one, two])).toEqual(['first', 'second']);
  expect(await installAlone('npm once', options, async () => 'third')).toBe('third');
});
