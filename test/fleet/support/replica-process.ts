import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cliProgram } from '../../support/cli-program.ts';
import { compileCache } from '../../support/run-cli.ts';

/** A replica as `toolwharf serve` in its own process. */
export interface ReplicaProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Sends a signal to a running replica. */
  signal(signal: NodeJS.Signals): void;
  /** Moves the clock of the process by so many milliseconds. */
  jumpClock(ms: number): void;
  /** The latest output on stderr. */
  output(): string;
  /** Ends the process with a signal and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface ReplicaOptions {
  readonly database: string;
  readonly configFile: string;
  readonly dataDir: string;
  /** The master key of the fleet. */
  readonly key: string;
  /** A free one if undefined. */
  readonly port?: number;
}

const clock = fileURLToPath(new URL('./movable-clock.mjs', import.meta.url));

/** Starts a replica and waits until it listens. */
export async function startReplica(options: ReplicaOptions): Promise<ReplicaProcess> {
  const { database, configFile, dataDir, key, port = 0 } = options;
  const args = ['serve', '--port', String(port), '--database', database, '--config', configFile];
  const child = spawn(process.execPath, ['--import', clock, cliProgram, ...args, '--log-format', 'json'], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      TOOLWHARF_DATA_DIR: dataDir,
      TOOLWHARF_KEY: key,
      ...compileCache,
    },
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    output = (output + chunk).slice(-100_000);
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const first = await Promise.race([once(lines, 'line'), exited]);
  if (hasEnded(child)) throw new Error(`The replica ended before it listened: ${output.slice(-4_000)}`);
  const url = String(first[0]);
  const end = async (signal: NodeJS.Signals) => {
    if (!hasEnded(child)) child.kill(signal);
    await exited;
  };
  return {
    url,
    port: Number(new URL(url).port),
    signal: (signal) => void child.kill(signal),
    jumpClock: (ms) => void child.send({ jumpMs: ms }),
    output: () => output,
    end,
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
