import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { testProgram } from '../../support/test-program.ts';

/** A gateway in a separate process with a SQLite file. The `x-caller` header names the caller. */
export interface GatewayProcess extends AsyncDisposable {
  /** The URL of its MCP endpoint. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly child: ChildProcess;
  end(signal: NodeJS.Signals): Promise<void>;
  /** The bytes in use after a forced garbage collection. */
  bytesInUse(): Promise<number>;
}

export interface GatewayProcessOptions {
  /** The configuration, or the path of a file that the gateway watches. */
  readonly config: object | string;
  readonly dataDir: string;
  readonly port?: number;
  /** Shell commands to run first in the same process, such as `ulimit`. */
  readonly shell?: string;
}

const program = testProgram(new URL('./faults-gateway.ts', import.meta.url));

export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { config, dataDir, port = 0, shell = '' } = options;
  const setup = JSON.stringify({ config, dataDir, port });
  const child = spawn('sh', ['-c', `${shell} exec "$0" --expose-gc "$@"`, process.execPath, program, setup], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const said = await Promise.race([once(lines, 'line'), exited]);
  if (child.exitCode !== null) throw new Error(`The gateway ended with ${child.exitCode} before it listened`);
  const { url } = JSON.parse(String(said[0])) as { url: string };
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    child,
    end,
    async bytesInUse() {
      const answer = once(lines, 'line');
      child.kill('SIGUSR2');
      return (JSON.parse(String((await answer)[0])) as { bytes: number }).bytes;
    },
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}
