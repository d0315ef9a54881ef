import { randomBytes } from 'node:crypto';
import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const config = await cli.config({ gateway: { allowPrograms: true }, servers: { files: fixture('legacy') } });
let data: string;
let copy: string;
let folders = 0;
beforeEach(() => {
  data = directory.file(`data-${++folders}`);
  copy = directory.file(`backup-${folders}`);
});

const runOn = (dataDir: string, args: readonly string[], env: Record<string, string> = {}) =>
  cli.run([...args, '--data-dir', dataDir, '-c', config], { env });
const echo = (text: string) => ['POST', '/api/tools/mcp_files_echo/call', { arguments: { text } }] as const;
const isReady = (gateway: { stderr(): string }, server: string) =>
  waitFor(() => gateway.stderr().includes(`✔ ${server}`), { what: server });

function callsIn(dataDir: string): number {
  using database = new DatabaseSync(join(dataDir, 'toolwharf.db'));
  return Number(database.prepare('select count(*) as n from calls').get()?.n);
}

/** Adds a server with a secret to the gateway. */
async function addServer(gateway: Awaited<ReturnType<typeof startGatewayHere>>): Promise<void> {
  const { command, args } = fixture('legacy');
  await gateway.api('POST', '/api/servers', {
    name: 'kept',
    transport: 'stdio',
    command,
    args,
    env: { SECRET: 'quiet' },
  });
}

async function readSecret(dataDir: string): Promise<unknown> {
  await using gateway = await startGatewayHere(cli, dataDir, ['-c', config]);
  await isReady(gateway, 'kept');
  const { body } = await gateway.api('POST', '/api/tools/mcp_kept_env/call', { arguments: { name: 'SECRET' } });
  return (body as { text?: string }).text;
}

/** A stopped gateway with a stored secret, and its backup. */
async function backUpStopped(...options: string[]): Promise<void> {
  {
    await using gateway = await startGatewayHere(cli, data, ['-c', config]);
    await isReady(gateway, 'files');
    await addServer(gateway);
  }
  expect(await runOn(data, ['backup', copy, ...options])).toMatchObject({ code: 0 });
}

describe('toolwharf backup and toolwharf restore', () => {
  test('a backup of a gateway under load is intact, and the restored gateway has its calls, records and secrets', async () => {
    await using gateway = await startGatewayHere(cli, data, ['-c', config]);
    await isReady(gateway, 'files');
    await addServer(gateway);
    let isOver = false;
    const load = Array.from({ length: 8 }, async (_, client) => {
      for (let at = 0; !isOver; at++) await gateway.api(...echo(`${client} ${at}`));
    });
    await waitFor(() => callsIn(data) > 100, { what: 'calls in the tables' });
    const before = callsIn(data);
    const made = await runOn(data, ['backup', copy, '--json']);
    expect(made).toMatchObject({ code: 0 });
    await waitFor(() => callsIn(data) > before + 100, { what: 'more calls' });
    isOver = true;
    await Promise.all(load);
    expect((await stat(copy)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(copy)) expect((await stat(join(copy, name))).mode & 0o777).toBe(0o600);
    expect(JSON.parse(made.stdout).notes).toEqual([expect.stringContaining('contains the keys')]);
    const restored = directory.file('restored');
    expect(await runOn(restored, ['restore', copy])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Restored'),
    });
    expect(callsIn(restored)).toBeGreaterThanOrEqual(before);
    expect(callsIn(restored)).toBeLessThan(callsIn(data));
    expect(
      await runOn(restored, ['audit', 'verify', '--anchor', join(restored, 'audit-checkpoints.jsonl')]),
    ).toMatchObject({
      code: 0,
      stdout: 'The journal is intact.\n',
    });
    expect(await readSecret(restored)).toBe('quiet');
  });

  test('a restore replaces present data only if it is told to, and moves it aside', async () => {
    await backUpStopped();
    expect(await runOn(data, ['backup', copy])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not empty'),
    });
    expect(await runOn(data, ['restore', copy])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has data already'),
    });
    const { stdout, code } = await runOn(data, ['restore', copy, '--replace', '--json']);
    expect(code).toBe(0);
    expect(await readdir(JSON.parse(stdout).replaced)).toContain('toolwharf.db');
    expect(await readSecret(data)).toBe('quiet');
    await using gateway = await startGatewayHere(cli, data, ['-c', config]);
    expect(await runOn(data, ['restore', copy, '--replace'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`Stop the gateway at ${gateway.url}`),
    });
  });

  test('a backup that was changed, or is not complete, is not restored and changes nothing', async () => {
    await backUpStopped();
    const empty = directory.file(`empty-${folders}`);
    await appendFile(join(copy, 'toolwharf.db'), 'x');
    expect(await runOn(empty, ['restore', copy])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('its hash differs'),
    });
    await rm(join(copy, 'backup.json'));
    expect(await runOn(empty, ['restore', copy])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a complete backup'),
    });
    expect(await readdir(empty).catch(() => [])).toEqual([]);
  });

  test('a backup without keys says so, and is restored with the right key only: a wrong one leaves no key behind', async () => {
    await backUpStopped('--no-keys');
    expect((await readdir(copy)).sort()).toEqual(['audit-checkpoints.jsonl', 'backup.json', 'toolwharf.db']);
    expect(await readFile(join(copy, 'backup.json'), 'utf8')).toContain('The keys are not in the backup');
    const target = directory.file(`target-${folders}`);
    expect(await runOn(target, ['restore', copy])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no master key'),
    });
    const wrong = { TOOLWHARF_KEY: randomBytes(32).toString('base64') };
    for (const env of [wrong, { TOOLWHARF_KEY: 'a passphrase that nobody uses' }]) {
      expect((await runOn(target, ['restore', copy], env)).code).not.toBe(0);
      expect(await readdir(target)).toEqual([]);
    }
    const key = (await readFile(join(data, 'master.key'), 'utf8')).trim();
    expect(await runOn(target, ['restore', copy], { TOOLWHARF_KEY: key })).toMatchObject({ code: 0 });
    // Without the key, nothing creates another one.
    expect(await runOn(target, ['secrets', 'rotate'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no master.key'),
    });
    const start = await runOn(target, ['serve', '--port', '0']);
    expect([start.code === 0, start.stderr]).toEqual([false, expect.stringContaining('does not open the secrets')]);
    await writeFile(join(target, 'master.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    expect((await runOn(target, ['secrets', 'rotate'])).code).not.toBe(0);
    await rm(join(target, 'master.key'));
    expect((await readdir(target)).filter((name) => name.startsWith('master'))).toEqual([]);
    expect(await runOn(target, ['audit', 'verify'], { TOOLWHARF_KEY: key })).toMatchObject({ code: 0 });
  });
});
