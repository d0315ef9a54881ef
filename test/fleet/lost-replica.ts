import type { JsonObject } from '../../packages/contract/json.ts';
import { tempDir } from '../support/fixtures.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Replicas } from './replicas.ts';

/** A replica in a separate process, which the test kills. */
export interface LostReplica extends AsyncDisposable {
  readonly url: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of all shapes.
  send(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }>;
  /** Kills the process and lets its lease expire. */
  kill(): Promise<void>;
}

/** Starts a gateway as a process on the database of the other replicas. */
export async function startLostReplica({ database }: Replicas, source: JsonObject): Promise<LostReplica> {
  const directory = await tempDir();
  const cli = cliIn(directory);
  const args = ['serve', '--port', '0', '--database', database.url, '-c', await cli.config(source)];
  const { child, pid, stdout, stderr, ended } = cli.start(args, {
    env: { TOOLWHARF_KEY: database.key.toString('base64') },
    input: null,
  });
  const url = await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`The replica did not start: ${stderr()}`);
      return /http:\/\/127\.0\.0\.1:\d+/.exec(stdout() + stderr())?.[0];
    },
    { what: 'the start of the replica' },
  );
  return {
    url: String(url),
    async send(method, path, body) {
      const headers = { 'content-type': 'application/json' };
      const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
      const response = await fetch(new URL(path, String(url)), init);
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
      await database.sql(`update owners set expires_at = 0 where pid = ${pid}`);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}
