import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { testProgram } from '../support/test-program.ts';
import { waitFor } from '../support/wait-for.ts';

/** A process that writes calls and prints the confirmed steps. */
export interface WriterProcess extends AsyncDisposable {
  readonly pid: number;
  /** The last step of each call that was confirmed to the process. */
  readonly confirmed: ReadonlyMap<string, string>;
  readonly lines: readonly string[];
  /** Waits for a line that matches. */
  waitForLine(line: RegExp): Promise<void>;
  /** Kills the process, as a power cut would, and waits for its end. */
  kill(): Promise<void>;
}

const program = testProgram(new URL('./journal-writer.ts', import.meta.url));

/** Starts a writer; the `shell` commands run first in the same process. */
export function startWriter(options: object, { shell = '' }: { readonly shell?: string } = {}): WriterProcess {
  const command = `${shell} exec "$0" "$@"`;
  const child = spawn('sh', ['-c', command, process.execPath, program, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const confirmed = new Map<string, string>();
  const lines: string[] = [];
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    lines.push(line);
    const [id = '', status = ''] = line.split(' ');
    if (/^(pending|running|success)$/.test(status)) confirmed.set(id, status);
  });
  return {
    pid: child.pid ?? 0,
    confirmed,
    lines,
    async waitForLine(pattern) {
      const isDone = () => lines.some((line) => pattern.test(line)) || child.exitCode !== null;
      await waitFor(isDone, { what: `The writer's ${pattern}` });
      if (child.exitCode !== null) throw new Error(`The writer ended (${child.exitCode}): ${errors}`);
    },
    kill: () => kill(child),
    [Symbol.asyncDispose]: () => kill(child),
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // The confirmed steps are complete only after the pipe is read to its end.
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
