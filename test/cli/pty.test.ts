import { afterAll, expect, test } from 'vitest';
import { cliProgram } from '../support/cli-program.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { runAtPty } from '../support/run-at-pty.ts';
import { cliIn, compileCache } from '../support/run-cli.ts';

// Prompts at a real pseudo-terminal: echo, buffering and signals of the kernel are part of the test.
const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const config = await cliIn(directory).config({
  servers: { demo: fixture('legacy') },
  toolbox: { approval: { mode: 'auto', ask: ['demo/echo'] } },
});

function toolwharf(args: string, columns = 100) {
  const env = {
    PATH: process.env.PATH,
    HOME: directory.path,
    TERM: 'xterm',
    COLUMNS: String(columns),
    TOOLWHARF_DATA_DIR: directory.file('data'),
    ...compileCache,
  };
  return runAtPty(`"${process.execPath}" "${cliProgram}" ${args} -c "${config}"`, { cwd: directory.path, env });
}

test('a call that needs approval runs after the key for "allow once" at a terminal', async () => {
  await using call = toolwharf('call mcp_demo_echo text=ahoy');
  await call.see(/Approval required/);
  await call.see(/(\[?a\]? ?allow once|allow once)/);
  call.type('a\r');
  await call.see(/^(ahoy)\r?$/m);
  expect(await call.exitCode).toBe(0);
});

test('a call that needs approval does not run after the key for "deny", nor after Ctrl-C', async () => {
  await using denied = toolwharf('call mcp_demo_echo text=ahoy');
  await denied.see(/(allow once)/);
  denied.type('d\r');
  expect(await denied.exitCode).not.toBe(0);

  await using interrupted = toolwharf('call mcp_demo_echo text=ahoy');
  await interrupted.see(/(allow once)/);
  await interrupted.interrupt();
  expect(await interrupted.exitCode).toBe(130);
});

test('a table fits the width of the terminal, and the list of tools ends with the command that calls one', async () => {
  await using tools = toolwharf('tools', 60);
  await tools.see(/(Call a tool with `toolwharf call NAME key=value`)/);
  const screen = await tools.see(/^(demo [\s\S]*)Call a tool/m);
  expect(screen).toContain('mcp_demo_echo');
  for (const line of screen.split(/\r?\n/)) expect(line.length).toBeLessThanOrEqual(60);
});
