import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitFor } from './wait-for.ts';

export interface Program {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A process that runs programs one after the other: Node and the packages that they share are loaded once. Disposing fails if a
 * program keeps the process alive.
 */
export interface ProgramHost extends AsyncDisposable {
  /** Resolves to what the program prints on stdout; rejects with its error, or if it ends the process. */
  run(program: Program): Promise<string>;
}

export function startProgramHost(env: Readonly<Record<string, string>>): ProgramHost {
  const child = fork(fileURLToPath(new URL('program-host.mjs', import.meta.url)), {
    env,
    execArgv: [],
    // Programs log their progress to stderr.
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  const ended = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    async run(program) {
      const answered = once(child, 'message') as Promise<[{ printed: string; error?: string }]>;
      child.send(program);
      const answer = await Promise.race([answered, ended.then(() => undefined)]);
      if (answer === undefined) throw new Error(`${program.file} ended its process, or the process had ended before`);
      const [{ printed, error }] = answer;
      if (error !== undefined) throw new Error(`${program.file} failed after it printed:\n${printed}\n${error}`);
      return printed;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      try {
        await waitFor(hasEnded, { what: 'the process to end: a program left something open' });
      } finally {
        child.kill('SIGKILL');
      }
    },
  };
}
