import { once } from 'node:events';
import { expect, test } from 'vitest';
import { endProgram, launchAhead, launchProgram, type Program } from './launch-program.ts';
import { sendSignal } from './process-tree.ts';

const node = (script: string, env = {}): Program => ({ command: process.execPath, args: ['-e', script], env });
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
