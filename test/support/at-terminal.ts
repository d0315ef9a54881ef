import { PassThrough } from 'node:stream';
import type { CommonOptions } from '../../src/cli/command-context.ts';
import { reportError } from '../../src/cli/errors.ts';
import { createProgram } from '../../src/cli/program/create-program.ts';
import { createTerminal } from '../../src/cli/terminal/terminal.ts';
import { ToolwharfError } from '../../src/kernel/errors.ts';
import { waitFor } from './wait-for.ts';

export const ctrlC = '\u0003';
export const ctrlD = '\u0004';

/** A person at a terminal, and the command line in this process. */
export interface AtTerminal {
  /** Runs a command; returns its exit code. */
  run(...args: string[]): Promise<number>;
  /** The whole screen output so far, without colours and overwritten text. */
  screen(): string;
  /** The output on stdout only. */
  stdout(): string;
  /** Waits for a match after the previous one; returns the groups of the pattern. */
  see(pattern: RegExp): Promise<readonly string[]>;
  type(text: string): void;
  /** Types a text and Enter when the program reads a line. */
  answer(question: RegExp, text: string): Promise<void>;
}

// Lines that are redrawn, and control sequences.
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's control sequences consist of them.
const overwritten = /\r\u001b\[2K[^\n]*?(?=\r\u001b\[2K)|\r\u001b\[2K|\u001b\[\d*[A-Za-z]|\r/g;

/** Streams that identify as a terminal; lines, keys and prompts are real. */
export function atTerminal(env: Readonly<Record<string, string>>, { isTTY = true } = {}): AtTerminal {
  const stream = () => Object.assign(new PassThrough(), { isTTY, columns: 100 });
  const streams = { stdin: stream(), stdout: stream(), stderr: stream() };
  const stop = new AbortController();
  let intercept: (signal: NodeJS.Signals) => boolean = () => false;
  const terminal = createTerminal({
    ...streams,
    env: { NO_COLOR: '1' },
    onInterrupt() {
      if (!intercept('SIGINT')) stop.abort(new ToolwharfError('CALL_CANCELLED', 'Cancelled'));
    },
  });
  let output = '';
  let printed = '';
  let seen = 0;
  for (const stream of [streams.stdout, streams.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      if (stream === streams.stdout) printed += chunk;
    });
  }
  const screen = () => output.replaceAll(overwritten, '');

  async function see(pattern: RegExp): Promise<readonly string[]> {
    const found = await waitFor(() => pattern.exec(screen().slice(seen)), {
      what: () => `${pattern} after\n${screen().slice(-1_500)}\n`,
    });
    seen += (found?.index ?? 0) + (found?.[0].length ?? 0);
    return found?.slice(1) ?? [];
  }

  return {
    async run(...args) {
      let code = 0;
      const program = createProgram(terminal, async (command) => {
        code = await command({
          terminal,
          options: program.opts<CommonOptions>(),
          env: { ...process.env, ...env },
          signal: stop.signal,
          onInterrupt(_report, interceptor = () => false) {
            intercept = interceptor;
          },
        });
      });
      try {
        await program.parseAsync(['node', 'toolwharf', ...args]);
        return code;
      } catch (cause) {
        return reportError(terminal, cause, { stack: false });
      }
    },
    screen,
    stdout: () => printed,
    see,
    type: (text) => void streams.stdin.write(text),
    async answer(question, line) {
      await see(question);
      streams.stdin.write(`${line}\r`);
    },
  };
}
