import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { waitFor } from './wait-for.ts';

/** A command that runs at a pseudo-terminal. Disposing waits for its end. */
export interface AtPty extends AsyncDisposable {
  /** Waits for a match in the output and returns its first group. */
  see(pattern: RegExp): Promise<string>;
  type(text: string): void;
  /** Presses Ctrl-C and waits for the end. */
  interrupt(): Promise<void>;
  /** The exit code, when the command has ended. */
  readonly exitCode: Promise<number>;
}

export interface PtyOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs a shell command at a pseudo-terminal, with the program `script` of util-linux. */
export function runAtPty(command: string, options: PtyOptions): AtPty {
  const args = ['--quiet', '--flush', '--return', '--command', command, '/dev/null'];
  const child = spawn('script', args, options);
  const exitCode = once(child, 'exit').then(([code]) => Number(code));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  return {
    exitCode,
    async see(pattern) {
      const screen = () => stripVTControlCharacters(output);
      const found = await waitFor(() => pattern.exec(screen()), { what: () => `${pattern} in\n${screen()}` });
      return found?.[1] ?? '';
    },
    type: (text) => void child.stdin.write(text),
    async interrupt() {
      child.stdin.write('\u0003');
      await exitCode;
    },
    async [Symbol.asyncDispose]() {
      await exitCode;
    },
  };
}
