import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../support/wait-for.ts';

/** A process that writes calls, and what it said. */
export interface WriterProcess extends AsyncDisposable {
  readonly pid: number;
  /** The last step of each call that was confirmed to the process. */
  readonly confirmed: ReadonlyMap<string, string>;
  readonly lines: readonly string[];
  /** Waits for a line. */
  said(line: RegExp): Promise<void>;
  /** Ends it at once, as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
}

const program = fileURLToPath(new URL('./journal-writer.ts', import.meta.url));

/** `shell` is run before the program in the same process. */
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
    async said(pattern) {
      const heard = () => lines.some((line) => pattern.test(line)) || child.exitCode !== null;
      await waitFor(heard, { what: `The writer's ${pattern}` });
      if (child.exitCode !== null) throw new Error(`The writer ended (${child.exitCode}): ${errors}`);
    },
    kill: () => kill(child),
    [Symbol.asyncDispose]: () => kill(child),
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // Until the pipe is read to its end, something that was said may not have been heard.
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
