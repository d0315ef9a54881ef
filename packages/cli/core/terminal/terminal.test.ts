import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { createTerminal } from './terminal.ts';

afterEach(() => void vi.useRealTimers());

function open({ isTTY = true, env = {} as Record<string, string> } = {}) {
  const streams = { stdin: stream(isTTY), stdout: stream(isTTY), stderr: stream(isTTY) };
  let interrupts = 0;
  const terminal = createTerminal({ ...streams, env, onInterrupt: () => interrupts++ });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    streams[name].on('data', (chunk) => {
      texts[name] += chunk;
    });
  }
  const type = (text: string) => streams.stdin.write(text);
  return { terminal, texts, type, streams, interrupts: () => interrupts };
}

function stream(isTTY: boolean) {
  return Object.assign(new PassThrough(), { isTTY });
}

test('results go to stdout, everything else to stderr', () => {
  const { terminal, texts } = open({ isTTY: false });
  terminal.print('a result');
  terminal.print('with its own end\n');
  terminal.note('a remark');
  terminal.status('working');
  expect(texts).toEqual({ stdout: 'a result\nwith its own end\n', stderr: 'a remark\n' });
  expect(terminal.canAsk).toBe(false);
});

test('colours are used on terminals only, and never with NO_COLOR', () => {
  expect(open().terminal.colors.red('x')).not.toBe('x');
  expect(open({ env: { NO_COLOR: '1' } }).terminal.colors.red('x')).toBe('x');
  expect(open({ env: { TERM: 'dumb' } }).terminal.noteColors.red('x')).toBe('x');
  expect(open({ isTTY: false }).terminal.colors.red('x')).toBe('x');
});

test('COLUMNS overrides the width of the terminal', () => {
  expect(open({ env: { COLUMNS: '60' } }).terminal.width).toBe(60);
  expect(open({ env: { COLUMNS: 'wide' } }).terminal.width).toBe(80);
  expect(open({ isTTY: false }).terminal.width).toBe(120);
});

test('the status line is erased at the end and redrawn after notes', async () => {
  const { terminal, texts } = open();
  terminal.status('connecting 1 of 2 …');
  await expect.poll(() => texts.stderr).toContain('connecting 1 of 2 …');
  terminal.note('a remark');
  expect(texts.stderr).toContain('\r\u001b[2Ka remark\n');
  terminal.status();
  expect(texts.stderr.endsWith('\r\u001b[2K')).toBe(true);
});

test('prompts are shown one at a time', async () => {
  const { terminal, texts, type } = open();
  const first = terminal.ask('One? ');
  const second = terminal.ask('Two? ');
  await expect.poll(() => texts.stderr).toContain('One?');
  expect(texts.stderr).not.toContain('Two?');
  type('1\r');
  expect(await first).toBe('1');
  await expect.poll(() => texts.stderr).toContain('Two?');
  type('2\r');
  expect(await second).toBe('2');
});

test('the end of the input and an aborted signal give no answer', async () => {
  const { terminal, texts, type } = open();
  const left = terminal.ask('Well? ');
  await expect.poll(() => texts.stderr).toContain('Well?');
  type('\u0004');
  expect(await left).toBeUndefined();
  const abort = new AbortController();
  const late = terminal.ask('And now? ', abort.signal);
  await expect.poll(() => texts.stderr).toContain('And now?');
  abort.abort();
  expect(await late).toBeUndefined();
  expect(await terminal.ask('Still? ', abort.signal)).toBeUndefined();
  expect(texts.stderr).not.toContain('Still?');
});

test('Ctrl-C at a prompt calls onInterrupt', async () => {
  const { terminal, texts, type, interrupts } = open();
  const asked = terminal.ask('Well? ');
  await expect.poll(() => texts.stderr).toContain('Well?');
  type('\u0003');
  await expect.poll(() => interrupts()).toBe(1);
  type('x\r');
  expect(await asked).toBe('x');
});

test('a closed stdout pipe is not an error', () => {
  const { terminal, texts, streams } = open({ isTTY: false });
  streams.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  terminal.print('nobody reads this');
  expect(texts.stdout).toBe('');
});

test('the status line does not interrupt streamed text, and notes start on a new line', () => {
  vi.useFakeTimers();
  const { terminal, texts } = open();
  terminal.status('thinking …');
  terminal.stream('Hello');
  terminal.stream(' you');
  vi.advanceTimersByTime(60_000);
  expect(texts).toEqual({ stdout: 'Hello you', stderr: '' });
  terminal.note('a remark');
  expect(texts).toEqual({ stdout: 'Hello you\n', stderr: 'a remark\n' });
  terminal.stream('on\n');
  vi.advanceTimersByTime(100);
  expect(texts.stderr).toContain('thinking …');
  terminal.status();
  const piped = open({ isTTY: false });
  piped.terminal.stream('as ');
  piped.terminal.note('a remark');
  piped.terminal.stream('it is');
  expect(piped.texts.stdout).toBe('as it is');
});

test('input typed while muted is dropped, and Ctrl-C still calls onInterrupt', async () => {
  const { terminal, texts, type, interrupts } = open();
  const muted = terminal.mute();
  type('y\r');
  type('\u0004');
  type('\u0003');
  await expect.poll(() => interrupts()).toBe(1);
  const asked = terminal.ask('Run it? ');
  await expect.poll(() => texts.stderr).toContain('Run it? ');
  type('n\r');
  expect(await asked).toBe('n');
  type('dropped\r');
  const again = terminal.ask('And now? ');
  await expect.poll(() => texts.stderr).toContain('And now? ');
  type('yes\r');
  expect(await again).toBe('yes');
  muted[Symbol.dispose]();
  expect(texts.stderr).not.toContain('dropped');
});

test('a prompt can have an initial text, a history, or a hidden answer', async () => {
  const { terminal, texts, type } = open();
  const changed = terminal.ask('Edit: ', undefined, { text: 'abc' });
  await expect.poll(() => texts.stderr).toContain('abc');
  type('d\r');
  expect(await changed).toBe('abcd');
  const repeated = terminal.ask('> ', undefined, { history: ['latest', 'before'] });
  await expect.poll(() => texts.stderr).toContain('> ');
  type('\u001b[A\u001b[A\r');
  expect(await repeated).toBe('before');
  const secret = terminal.ask('Key: ', undefined, { isSecret: true });
  await expect.poll(() => texts.stderr).toContain('Key: ');
  type('hidden\r');
  expect(await secret).toBe('hidden');
  expect(texts.stderr).not.toContain('hidden');
});

test('sentences are wrapped at the width of the terminal, commands are not broken, and notes stay as they are', () => {
  const warning = 'WARNING: Server files is unavailable: run `toolwharf logs files` to see its output';
  const person = open({ env: { COLUMNS: '44' } });
  person.terminal.say(warning);
  person.terminal.note(warning);
  expect(person.texts.stderr).toBe(
    `WARNING: Server files is unavailable: run\n  \`toolwharf logs files\` to see its output\n${warning}\n`,
  );
  const program = open({ isTTY: false, env: { COLUMNS: '40' } });
  program.terminal.say(warning);
  expect(program.texts.stderr).toBe(`${warning}\n`);
});
