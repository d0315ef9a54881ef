import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresWorkspace } from '../storage/kinds.ts';
import { startHttp } from '../support/fixtures.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { testProgram } from '../support/test-program.ts';
import { waitFor } from '../support/wait-for.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const program = testProgram(new URL('./replica-main.ts', import.meta.url));

interface Entry {
  readonly began?: string;
  readonly ended?: string;
  readonly running: number;
}

interface Outcome {
  readonly status: number;
  readonly code?: string;
}

interface ReplicaProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  work(name: string, ms: number): Promise<Outcome>;
}

async function startReplica(options: object): Promise<ReplicaProcess> {
  const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [url] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
  if (child.exitCode !== null) throw new Error('The replica did not start');
  return {
    child,
    async work(name, ms) {
      const response = await fetch(`${url}/api/tools/mcp_s_work/call`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ arguments: { name, ms } }),
      });
      const body = (await response.json()) as { readonly error?: { readonly code: string } };
      return { status: response.status, code: body.error?.code };
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Three replicas in front of a server of which one call may run at a time. */
async function startFleet(timeout: string) {
  await using started = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'toolwharf-overlap-'));
  started.defer(() => rmSync(directory, { recursive: true, force: true }));
  const record = join(directory, 'record');
  const server = started.use(await startHttp('overlap', { RECORD: record }));
  const workspace = await createPostgresWorkspace(postgres);
  const config = {
    servers: { s: { url: server.url, timeout: '120s', defaultToolConfig: { maxInstances: 1, timeout } } },
    toolbox: { approval: { mode: 'auto' } },
    gateway: { listWait: '60s' },
  };
  const options = { url: workspace.url, key: workspace.key.toString('hex'), leaseMs: 3_000, config };
  const replicas: ReplicaProcess[] = [];
  for (let index = 0; index < 3; index++) {
    const replica = started.use(await startReplica(options));
    replicas.push(replica);
    await waitFor(async () => (await replica.work(`start ${index}`, 0)).status === 200, { what: 'the first call' });
  }
  const running = started.move();
  return {
    replicas: replicas as [ReplicaProcess, ReplicaProcess, ReplicaProcess],
    sql: workspace.sql,
    entries: (): Entry[] =>
      existsSync(record)
        ? readFileSync(record, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

test('a limit of one call holds over three replicas while the one that runs a call is stopped past its lease and continued', async () => {
  await using fleet = await startFleet('100s');
  const [holder, one, two] = fleet.replicas;
  const held = holder.work('held', 6_000);
  await waitFor(() => fleet.entries().some(({ began }) => began === 'held'), { what: 'the running call' });
  // Received before the replica is stopped, and waiting for its permit.
  const queued = holder.work('queued', 0);
  await waitFor(async () => (await fleet.sql("select id from calls where status = 'pending'")).length === 1, {
    what: 'the queued call',
  });
  holder.child.kill('SIGSTOP');
  const others = [one.work('one', 20), two.work('two', 20), one.work('one again', 20)];
  await waitFor(async () => (await fleet.sql('select id from owners')).length === 2, {
    what: 'the loss of the replica',
  });
  await waitFor(() => fleet.entries().some(({ ended }) => ended === 'held'), { what: 'the end of the call' });
  holder.child.kill('SIGCONT');
  // The result of the call that was sent is still delivered.
  expect(await held).toEqual({ status: 200 });
  expect(await queued).toMatchObject({ status: 503, code: 'JOURNAL_UNAVAILABLE' });
  for (const outcome of await Promise.all(others)) expect(outcome).toEqual({ status: 200 });
  expect(await holder.work('after', 20)).toEqual({ status: 200 });
  const entries = fleet.entries();
  expect(Math.max(...entries.map(({ running }) => running))).toBe(1);
  const began = entries.flatMap(({ began: name }) => (name === undefined || name.startsWith('start') ? [] : [name]));
  expect(began.toSorted()).toEqual(['after', 'held', 'one', 'one again', 'two']);
  const [epochs] = await fleet.sql('select max(epoch) as epoch from owners');
  expect(Number(epochs?.epoch)).toBeGreaterThan(1);
});

test('a limit of one call holds over three replicas while the one that runs a call is killed', async () => {
  await using fleet = await startFleet('20s');
  const [holder, one, two] = fleet.replicas;
  const held = holder.work('held', 5_000).catch(() => 'lost');
  await waitFor(() => fleet.entries().some(({ began }) => began === 'held'), { what: 'the running call' });
  holder.child.kill('SIGKILL');
  expect(await held).toBe('lost');
  // A call gives up waiting for a permit after its time limit, and its client tries again.
  const insist = (replica: ReplicaProcess, name: string) =>
    waitFor(async () => (await replica.work(name, 20)).status === 200, { what: `the call ${name}` });
  await Promise.all([insist(one, 'one'), insist(two, 'two')]);
  const entries = fleet.entries();
  expect(Math.max(...entries.map(({ running }) => running))).toBe(1);
  expect(entries.filter(({ began }) => began === 'held')).toHaveLength(1);
  const calls = await fleet.sql("select status from calls where status in ('pending', 'running')");
  expect(calls).toEqual([]);
});
