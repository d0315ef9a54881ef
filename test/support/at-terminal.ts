import { PassThrough } from 'node:stream';
import { runCommandLine } from '../../packages/cli/run-command-line.ts';
import { cliProgram } from './cli-program.ts';
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
    run: (...args) =>
      runCommandLine({
        ...streams,
        argv: [process.execPath, cliProgram, ...args],
        env: { ...withoutNpm(process.env), NO_COLOR: '1', ...env },
        cwd: process.cwd,
        on: () => {},
        exit: process.exit,
      }),
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

/** The environment as a person has it who did not start the command with npm. */
function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('npm_')));
}
