import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresWorkspace } from '../storage/kinds.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { type ReplicaProcess, startReplica } from './support/replica-process.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

interface Started {
  readonly process: ReplicaProcess;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of all shapes.
  send(path: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }>;
}

/** Two replicas as processes: the one that runs the server, and the other. */
async function startPair(stack: AsyncDisposableStack): Promise<readonly [Started, Started]> {
  const database = await createPostgresWorkspace(postgres);
  const key = randomBytes(32).toString('base64');
  const config = {
    servers: { s: { ...fixture('legacy'), placement: 'single', defaultToolConfig: { timeout: '120s' } } },
    // Long enough to be renewed on a busy machine.
    gateway: { lease: '20s' },
  };
  const replicas: Started[] = [];
  for (let index = 0; index < 2; index++) {
    const { path } = stack.use(await tempDir());
    const configFile = join(path, 'toolwharf.json');
    await writeFile(configFile, JSON.stringify(config));
    const process = stack.use(await startReplica({ database: database.url, configFile, dataDir: path, key }));
    const started: Started = {
      process,
      async send(route, body) {
        const init = {
          method: body === undefined ? 'GET' : 'POST',
          headers: { 'content-type': 'application/json' },
          body: body === undefined ? undefined : JSON.stringify(body),
        };
        const response = await fetch(new URL(route, process.url), init);
        return { status: response.status, body: await response.json() };
      },
    };
    await waitFor(async () => (await statusOn(started)).state === 'connected', { what: 'the connection' });
    replicas.push(started);
  }
  const [one, two] = replicas as [Started, Started];
  return (await statusOn(one)).replica === (await idOf(one)) ? [one, two] : [two, one];
}

const statusOn = async (replica: Started) => (await replica.send('/api/servers/s')).body.status;
const idOf = async (replica: Started) =>
  (await replica.send('/api/fleet')).body.replicas.find(({ self }: { self: boolean }) => self).id;
const echo = (replica: Started, text: string) => replica.send('/api/tools/mcp_s_echo/call', { arguments: { text } });

/** Whether the process runs. One that was killed stays in the list of processes while its parent is stopped. */
async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

test('when the owner of a server is killed, running calls have an unknown outcome and others run on the next owner', async () => {
  await using stack = new AsyncDisposableStack();
  const [owner, other] = await startPair(stack);
  const { pid } = await statusOn(owner);
  const callId = crypto.randomUUID();
  const running = other.send('/api/tools/mcp_s_sleep/call', { arguments: { ms: 600_000 }, callId });
  await waitFor(async () => (await other.send(`/api/calls/${callId}`)).body.status === 'running', {
    what: 'the running call',
  });
  // The owner has received it when a later call has been answered.
  expect((await echo(other, 'before')).body.text).toBe('before');
  await owner.process.end('SIGKILL');
  // Sent while the lease of the owner is still valid: it never reaches the server there.
  const waiting = echo(other, 'after');
  expect((await running).body).toMatchObject({ error: { code: 'OUTCOME_UNKNOWN' } });
  expect((await waiting).body.text).toBe('after');
  const status = await statusOn(other);
  expect(status.replica).toBe(await idOf(other));
  expect(status.pid).not.toBe(pid);
  expect((await other.send(`/api/calls/${callId}`)).body.end).toBe('unknown-outcome');
});

test('a stopped owner has no process of the server any more when another replica starts it', async () => {
  await using stack = new AsyncDisposableStack();
  const [owner, other] = await startPair(stack);
  const { pid } = await statusOn(owner);
  owner.process.signal('SIGSTOP');
  const next = await waitFor(
    async () => {
      const status = await statusOn(other);
      return status.state === 'connected' && status.pid !== pid && status;
    },
    { what: 'the next owner' },
  );
  expect(await isRunning(pid)).toBe(false);
  expect(await isRunning(next.pid)).toBe(true);
  owner.process.signal('SIGCONT');
  await waitFor(async () => (await statusOn(owner)).replica === next.replica, { what: 'the new role' });
  const { body } = await echo(owner, 'forwarded');
  expect(body.text).toBe('forwarded');
  expect((await owner.send(`/api/calls/${body.callId}`)).body.ranOn).toBe(next.replica);
});
