import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliOptions, cliIn } from './run-cli.ts';
import { waitFor } from './wait-for.ts';

export interface TestGateway extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Sends a request to the REST API as the administrator. */
  api(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: never }>;
  /** The output on stderr so far. */
  stderr(): string;
  /** Stops the gateway cleanly and returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  readonly ended: Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

/** Starts `toolwharf serve` on a free port as a separate process; resolves when it listens. */
export function startGateway(
  cli: ReturnType<typeof cliIn>,
  dataDir: string,
  args: readonly string[],
  options: CliOptions = {},
): Promise<TestGateway> {
  const { child, ...started } = cli.start(serveArguments(dataDir, args), options);
  return untilItListens(dataDir, { ...started, kill: (signal) => void child.kill(signal) });
}

/**
 * Runs `toolwharf serve` on a free port in this process, which takes a fifth of the processor time of a separate one; resolves
 * when it listens. Only an orderly signal can stop it.
 */
export function startGatewayHere(
  cli: ReturnType<typeof cliIn>,
  dataDir: string,
  args: readonly string[],
  options: Pick<CliOptions, 'env'> = {},
): Promise<TestGateway> {
  return untilItListens(dataDir, { ...cli.open(serveArguments(dataDir, args), options), pid: process.pid });
}

function serveArguments(dataDir: string, args: readonly string[]): readonly string[] {
  return ['serve', '--port', '0', '--data-dir', dataDir, ...args];
}

interface StartedCommand extends Pick<TestGateway, 'pid' | 'stderr' | 'ended'> {
  kill(signal: NodeJS.Signals): void;
}

async function untilItListens(dataDir: string, { pid, kill, stderr, ended }: StartedCommand): Promise<TestGateway> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const place = await waitFor(
    async () => {
      if (isOver) throw new Error(`The gateway did not start: ${stderr()}`);
      const text = await readFile(join(dataDir, 'gateway.json'), 'utf8').catch(() => '{}');
      const read = JSON.parse(text) as { url?: string; pid?: number };
      return read.pid === pid && read.url;
    },
    { what: 'the start of the gateway' },
  );
  const url = String(place);
  const token = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();

  async function stop(signal: NodeJS.Signals = 'SIGTERM') {
    if (!isOver) kill(signal);
    return ended;
  }

  return {
    url,
    pid,
    ended,
    stderr,
    stop,
    async api(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as never };
    },
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}
