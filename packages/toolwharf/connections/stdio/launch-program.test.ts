import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { endProgram, launchAhead, launchProgram, type Program } from './launch-program.ts';
import { sendSignal } from './process-tree.ts';

const node = (script: string, env = {}): Program => ({ command: process.execPath, args: ['-e', script], env });
const fixtureFile = fileURLToPath(import.meta.url);
const printing = node('console.error("early"); process.stdin.resume()');

/** Waits for the first error output of the program. */
function firstOutput(program: Awaited<ReturnType<typeof launchProgram>>): Promise<string> {
  return new Promise((resolve) => program.onStderr((chunk) => resolve(String(chunk))));
}

test('a program that was started ahead is used once, with its error output from the start on', async () => {
  await using _ahead = launchAhead([printing]);
  const first = await launchProgram(printing);
  const second = await launchProgram(printing);
  expect(first.child.pid).not.toBe(second.child.pid);
  expect([await firstOutput(first), await firstOutput(second)]).toEqual(['early\n', 'early\n']);
  await Promise.all([endProgram(first), endProgram(second)]);
});

test('a program started ahead is used only for the same command, arguments and environment', async () => {
  const changed = { ...printing, env: { TOKEN: 'other' } };
  const ahead = launchAhead([printing]);
  const other = await launchProgram(changed);
  const same = await launchProgram(printing);
  expect(other.child.spawnargs).toEqual(same.child.spawnargs);
  expect(other.child.pid).not.toBe(same.child.pid);
  await ahead[Symbol.asyncDispose]();
  // The disposal ends only unused programs.
  expect(sendSignal(same.child.pid as number, 0)).toBe(true);
  await Promise.all([endProgram(other), endProgram(same)]);
});

test('an unused program is ended', async () => {
  const program = node('process.stdin.resume()');
  const ahead = launchAhead([program, program]);
  const used = await launchProgram(program);
  await ahead[Symbol.asyncDispose]();
  const { child } = used;
  expect(child.exitCode).toBeNull();
  const exited = once(child, 'exit');
  await endProgram(used);
  await exited;
  const fresh = await launchProgram(program);
  expect(fresh.child.pid).not.toBe(child.pid);
  await endProgram(fresh);
});

test('the error of a program that cannot be started ahead is reported by its connection', async () => {
  const missing = { command: 'no-such-program-of-toolwharf', args: [], env: {} };
  await using _ahead = launchAhead([missing]);
  await expect(launchProgram(missing)).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    message: expect.stringContaining('Command not found: no-such-program-of-toolwharf'),
  });
});

test('a program gets no file that whatever started this process had left open, and those that are named for it', async ({
  skip,
}) => {
  skip(process.platform !== 'linux', 'reads /proc');
  const launch = fileURLToPath(new URL('./launch-program.ts', import.meta.url));
  const printing = `process.stdout.write(require('node:fs').readFileSync(4, 'utf8') + require('node:fs').readlinkSync('/proc/self/fd/40') + '\\n')`;
  const script = `const { launchProgram } = await import(${JSON.stringify(launch)});
      const { child } = await launchProgram({ command: process.execPath, args: ['-e', ${JSON.stringify(printing)}], env: {}, files: [${JSON.stringify(fixtureFile)}] });
      child.stdout.pipe(process.stdout); child.ref();`;
  const left = openSync(fixtureFile, 'r');
  const stdio = Array.from({ length: 41 }, (_, at) =>
    at === 40 ? left : at < 3 ? ('pipe' as const) : ('ignore' as const),
  );
  const outer = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio });
  closeSync(left);
  const output = await text(outer.stdout as Readable);
  expect(output).toBe(`${readFileSync(fixtureFile, 'utf8')}/dev/null\n`);
});
