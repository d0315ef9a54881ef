import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/fixtures.ts';
import { findMarked, sendSignal } from './process-tree.ts';
import { stopChild } from './stop-child.ts';

const stubborn =
  "process.on('SIGTERM', () => {}); process.stdin.resume(); process.stdin.on('end', () => {}); setInterval(() => {}, 1e6); console.log('up')";

test('a program that ignores the end of its input is ended with its tree by taskkill on systems without process groups', async () => {
  await using directory = await tempDir();
  const log = directory.file('taskkill.log');
  // Stands for the program of Windows: it ends the process that it is given.
  await writeFile(directory.file('taskkill'), `#!/bin/sh\necho "$@" >> '${log}'\nkill -9 "$2"\n`);
  await chmod(directory.file('taskkill'), 0o755);
  const child = spawn(process.execPath, ['-e', stubborn], { stdio: ['pipe', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  const before = process.env.PATH;
  process.env.PATH = `${directory.path}:${before}`;
  try {
    await stopChild(child, 'no-such-marker', { closeMs: 1, orphanMs: 1, platform: 'win32' });
  } finally {
    process.env.PATH = before;
  }
  expect(child.signalCode).toBe('SIGKILL');
  expect((await readFile(log, 'utf8')).split('\n')[0]).toBe(`/pid ${child.pid} /T /F`);
});

test('a program in a process group is ended with the group where there is no /proc', async () => {
  const parent = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: ['ignore', 1, 2] }); ${stubborn}`;
  const child = spawn(process.execPath, ['-e', parent], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  await once(child.stdout, 'data');
  await stopChild(child, 'marker', { closeMs: 1, termMs: 1, orphanMs: 1, proc: join('/', 'no-such-directory') });
  await expect.poll(() => sendSignal(-(child.pid as number), 0)).toBe(false);
});

test('no process is found by its marker where there is no /proc', async () => {
  expect(await findMarked('marker', '/no-such-directory')).toEqual([]);
});
