import { existsSync } from 'node:fs';
import { chmod, copyFile, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../packages/cli/core/client/open-store.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import { insertRecord } from '../storage/records.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGateway, startGatewayHere } from '../support/gateway.ts';
import { startPostgres } from '../support/postgres.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const config = await cli.config({ gateway: { allowPrograms: true }, servers: { files: fixture('legacy') } });
let data: string;
let folders = 0;
beforeEach(() => {
  data = directory.file(`data-${++folders}`);
});

const run = (...args: string[]) => cli.run([...args, '--data-dir', data, '-c', config]);

/** A gateway that made some calls, one of them with a stored server's secret, and stopped. */
async function makeHistory(): Promise<void> {
  const gateway = await startGatewayHere(cli, data, ['-c', config]);
  await waitFor(() => gateway.stderr().includes('✔ files'), { what: 'the server' });
  for (const text of ['one', 'two', 'three']) {
    await gateway.api('POST', '/api/tools/mcp_files_echo/call', { arguments: { text } });
  }
  const { command, args } = fixture('legacy');
  const body = { name: 'kept', transport: 'stdio', command, args, env: { SECRET: 'quiet' } };
  await gateway.api('POST', '/api/servers', body);
  await gateway.stop();
}

/** The secret of the stored server. */
async function readSecret(): Promise<unknown> {
  await using gateway = await startGatewayHere(cli, data, ['-c', config]);
  await waitFor(() => gateway.stderr().includes('✔ kept'), { what: 'the stored server' });
  const { body } = await gateway.api('POST', '/api/tools/mcp_kept_env/call', { arguments: { name: 'SECRET' } });
  return (body as { text?: string }).text;
}

test('a command that opens the store warns if other users can write to the data directory', async () => {
  await makeHistory();
  await chmod(data, 0o777);
  const { code, stderr } = await run('audit', 'verify');
  expect(code).toBe(0);
  expect(stderr).toContain(`can write to the data directory ${data} (mode 777)`);
});

test('a command that opens the store warns if other users can open its files', async () => {
  await makeHistory();
  await chmod(data, 0o755);
  expect((await run('audit', 'verify')).stderr).not.toContain('Other users');
  for (const name of ['admin-token', 'toolwharf.db']) await chmod(join(data, name), 0o644);
  expect((await run('audit', 'verify')).stderr).toContain(`can open admin-token, toolwharf.db in ${data}`);
  // Nobody else can enter the directory.
  await chmod(data, 0o700);
  expect((await run('audit', 'verify')).stderr).not.toContain('Other users');
});

describe('toolwharf audit', () => {
  test('toolwharf audit verifies the journal and finds tampering', async () => {
    await makeHistory();
    expect(await run('audit', 'verify')).toMatchObject({ code: 0, stdout: 'The journal is intact.\n' });

    const lines = (await run('audit', 'export')).stdout.trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { seq: number; record: { arguments?: { text?: string } } });
    expect(entries.length).toBeGreaterThanOrEqual(3);
    const first = await run('audit', 'export', '--limit', '2');
    const rest = await run('audit', 'export', '--after', String(entries[1]?.seq));
    expect(`${first.stdout}${rest.stdout}`.trimEnd().split('\n')).toEqual(lines);
    expect(first.stderr).toContain(`2 entries; continue with --after ${entries[1]?.seq}`);

    const database = new DatabaseSync(join(data, 'toolwharf.db'));
    database.exec(`update steps set body = replace(body, '"one"', '"ONE"')`);
    database.close();
    const changed = await run('audit', 'verify');
    expect(changed.code).toBe(1);
    expect(changed.stdout).toMatch(/^✖ \d+ {2}changed {2}/m);
    const { ok, findings } = JSON.parse((await run('audit', 'verify', '--json')).stdout);
    expect({ ok, some: findings.length > 0 }).toEqual({ ok: false, some: true });
  });

  test('toolwharf audit verify --anchor finds rules and calls that were changed together with the hashes', async () => {
    const checkpoints = directory.file(`checkpoints-${folders}.jsonl`);
    const file = await cli.config({ servers: { files: fixture('legacy') }, gateway: { audit: { checkpoints } } });
    const verify = (...more: string[]) =>
      cli.run(['audit', 'verify', '--anchor', checkpoints, '--data-dir', data, '-c', file, ...more]);
    const gateway = await startGatewayHere(cli, data, ['-c', file]);
    await gateway.api('POST', '/api/keys', { name: 'ci', rights: ['call'] });
    await gateway.stop();
    expect(await verify()).toMatchObject({ code: 0, stdout: 'The journal is intact.\n' });

    const database = new DatabaseSync(join(data, 'toolwharf.db'));
    database.exec(insertRecord('rules', '{"id":"evil","answer":"allow"}'));
    database.close();
    expect(await run('audit', 'verify')).toMatchObject({ code: 0 });
    expect(await verify()).toMatchObject({
      code: 1,
      stdout: '✖ 0  changed  rule/evil was inserted without a signed act\n1 problem found in the journal\n',
    });
    expect(JSON.parse((await verify('--json')).stdout)).toMatchObject({ ok: false, findings: [{ kind: 'changed' }] });
    const other = join(data, 'master.key');
    expect((await verify('--key', other)).code).not.toBe(0);
    expect((await verify('--anchor', directory.file('missing'))).code).not.toBe(0);

    const again = new DatabaseSync(join(data, 'toolwharf.db'));
    again.exec('delete from chain');
    again.close();
    const cut = await verify();
    expect(cut.code).toBe(1);
    expect(cut.stdout).toContain('the table chain is malformed');
    expect(cut.stdout).toContain('The checkpoints could not be compared');
  });

  test('toolwharf audit reports an empty store and invalid numbers, and uses a running gateway', async () => {
    expect(await run('audit', 'verify')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has no data yet'),
    });
    expect(existsSync(join(data, 'toolwharf.db'))).toBe(false);
    expect(await run('audit', 'export', '--after', 'x')).toMatchObject({ code: 2 });
    expect(await run('audit', 'export', '--limit', '0')).toMatchObject({ code: 2 });
    await using gateway = await startGateway(cli, data, ['-c', config]);
    for (const name of ['one', 'two']) await gateway.api('POST', '/api/keys', { name, rights: ['call'] });
    const anchor = join(data, 'audit-checkpoints.jsonl');
    expect(await run('audit', 'verify', '--anchor', anchor)).toMatchObject({
      code: 0,
      stdout: 'The journal is intact.\n',
    });
    const lines = (await run('audit', 'export')).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).record.act)).toEqual(expect.arrayContaining(['key.added']));
    const pages = [await run('audit', 'export', '--limit', '1'), await run('audit', 'export', '--after', '1')];
    expect(pages.flatMap(({ stdout }) => stdout.trimEnd().split('\n'))).toEqual(lines);
    // The arguments of calls are exported as they were sent.
    expect(await run('call', 'files/echo', '--args', '{"text" :"exact"}')).toMatchObject({ code: 0 });
    expect((await run('audit', 'export')).stdout).toContain('"arguments":{"text" :"exact"}');
    // A key that may only call tools reads no journal.
    const { body } = await gateway.api('POST', '/api/keys', { name: 'three', rights: ['call', 'read'] });
    const restricted = { env: { TOOLWHARF_API_KEY: (body as { key: string }).key } };
    const refused = await cli.run(['audit', 'export', '--url', gateway.url, '--data-dir', data], restricted);
    expect(refused).toMatchObject({ stdout: '', stderr: expect.stringContaining("needs the permission 'audit.read'") });
    const { code, stderr } = await run('audit', 'verify', '--local');
    expect(code).toBe(4);
    expect(stderr).toContain(`in use by process ${gateway.pid}`);
  });
});

describe('a PostgreSQL database', () => {
  test('a PostgreSQL database named in the file or on the command line replaces the data directory', async () => {
    await using postgres = await startPostgres();
    const url = await postgres.createUrl();
    const checkpoints = directory.file('checkpoints-postgres.jsonl');
    const file = await cli.config({
      servers: { files: fixture('legacy') },
      gateway: { database: '${DATABASE_URL}', audit: { checkpoints } },
    });
    const named = { env: { DATABASE_URL: url } };
    const gateway = await startGatewayHere(cli, data, ['-c', file], named);
    await waitFor(() => gateway.stderr().includes('✔ files'), { what: 'the server' });
    await gateway.api('POST', '/api/tools/mcp_files_echo/call', { arguments: { text: 'shared' } });
    // Several processes may use it at once.
    const verified = await cli.run(['audit', 'verify', '--data-dir', data, '-c', file], named);
    expect(verified).toMatchObject({ code: 0, stdout: 'The journal is intact.\n' });
    await gateway.stop();
    expect(existsSync(join(data, 'toolwharf.db'))).toBe(false);
    const verify = () => cli.run(['audit', 'verify', '--anchor', checkpoints, '--data-dir', data, '-c', file], named);
    expect(await verify()).toMatchObject({ code: 0, stdout: 'The journal is intact.\n' });
    await postgres.query(url, insertRecord('rules', '{"id":"evil"}'));
    expect(await verify()).toMatchObject({ code: 1, stdout: expect.stringContaining('rule/evil was inserted') });
    const exported = await cli.run(['audit', 'export', '--data-dir', data, '--database', url]);
    expect(exported.stdout).toContain('"shared"');
    expect(await cli.run(['audit', 'verify', '--data-dir', data, '-c', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('DATABASE_URL is not set'),
    });
  });
});

describe('toolwharf secrets rotate', () => {
  const keyFile = () => join(data, 'master.key');
  const key = () => readFile(keyFile(), 'utf8');

  test('toolwharf secrets rotate seals every secret with a new key', async () => {
    await makeHistory();
    const before = await key();
    const { code, stdout } = await run('secrets', 'rotate');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Encrypted 1 secret with the new key in ${keyFile()}; back it up\n`,
    });
    expect(await key()).not.toBe(before);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect(existsSync(join(data, 'master.key.next'))).toBe(false);
    expect(await readSecret()).toBe('quiet');
    expect(await run('audit', 'verify')).toMatchObject({ code: 0 });
  });

  test('a rotation that was interrupted after sealing is completed', async () => {
    await makeHistory();
    await copyFile(keyFile(), join(data, 'old'));
    await run('secrets', 'rotate');
    // As it would be if the machine had stopped before the new key took its place.
    await rename(keyFile(), join(data, 'master.key.next'));
    await rename(join(data, 'old'), keyFile());
    const refused = await run('serve', '--port', '0');
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`\`toolwharf --data-dir ${data} secrets rotate\``),
    });
    expect(await run('secrets', 'rotate')).toMatchObject({ code: 0 });
    expect(await readSecret()).toBe('quiet');
  });

  test('a rotation that was interrupted before sealing is completed', async () => {
    await makeHistory();
    const next = Buffer.alloc(32, 7).toString('base64');
    await writeFile(join(data, 'master.key.next'), `${next}\n`, { mode: 0o600 });
    expect(await run('secrets', 'rotate')).toMatchObject({ code: 0 });
    expect((await key()).trim()).toBe(next);
    expect(await readSecret()).toBe('quiet');
  });

  test('a key from the environment is rotated to another one from the environment', async () => {
    const old = Buffer.alloc(32, 1).toString('base64');
    const next = Buffer.alloc(32, 2).toString('hex');
    const withKeys = (env: Record<string, string>) =>
      cli.run(['secrets', 'rotate', '--data-dir', data, '-c', config], { env });
    await makeHistory();
    await run('secrets', 'rotate');
    expect(await withKeys({ TOOLWHARF_KEY: old })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('TOOLWHARF_NEW_KEY'),
    });
    expect(await withKeys({ TOOLWHARF_KEY: old, TOOLWHARF_NEW_KEY: next })).toMatchObject({ code: 3 });
    const current = (await key()).trim();
    expect(await withKeys({ TOOLWHARF_KEY: current, TOOLWHARF_NEW_KEY: next })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('now set TOOLWHARF_KEY to it'),
    });
    const withFile = openStore({ dataDir: data, env: {}, log: silentLog });
    await expect(withFile).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('keys cannot be rotated while a gateway runs', async () => {
    await using gateway = await startGatewayHere(cli, data, ['-c', config]);
    const { code, stderr } = await run('secrets', 'rotate');
    expect(code).toBe(4);
    expect(stderr).toContain(`Stop the gateway at ${gateway.url} (process ${gateway.pid}) first`);
    expect(existsSync(join(data, 'master.key.next'))).toBe(false);
  });
});

describe('a lost master key', () => {
  const keyFile = () => join(data, 'master.key');

  test('the journal can be verified and exported, and no key is created', async () => {
    const checkpoints = directory.file(`lost-${folders}.jsonl`);
    const file = await cli.config({
      servers: {},
      gateway: { audit: { checkpoints }, allowPrograms: true },
    } as never);
    const gateway = await startGatewayHere(cli, data, ['-c', file]);
    const { command, args } = fixture('legacy');
    await gateway.api('POST', '/api/servers', { name: 'kept', transport: 'stdio', command, args });
    await gateway.stop();
    const exported = (await run('audit', 'export')).stdout;
    await rename(keyFile(), `${keyFile()}.backup`);
    expect(await run('audit', 'verify')).toMatchObject({ code: 0, stdout: 'The journal is intact.\n' });
    const anchored = await cli.run(['audit', 'verify', '--anchor', checkpoints, '--data-dir', data, '-c', file]);
    expect(anchored).toMatchObject({ code: 0, stdout: 'The journal is intact.\n' });
    expect(anchored.stderr).toContain('stored servers and model providers are not checked');
    expect((await run('audit', 'export')).stdout).toBe(exported);
    expect(existsSync(keyFile())).toBe(false);
    await writeFile(keyFile(), `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
    expect(await run('audit', 'verify')).toMatchObject({ code: 0 });
  });

  test('toolwharf secrets discard removes what the key sealed, and the gateway starts again', async () => {
    await makeHistory();
    const early = await run('secrets', 'discard', '--yes');
    expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing has to be discarded') });
    await writeFile(keyFile(), 'not a key\n', { mode: 0o600 });
    expect((await run('serve', '--port', '0')).code).not.toBe(0);
    const unsure = await run('secrets', 'discard');
    expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(unsure.stdout).toContain('  server  kept\n');
    const discarded = JSON.parse((await run('secrets', 'discard', '--yes', '--json')).stdout);
    expect(discarded).toEqual({ discarded: [{ kind: 'server', name: 'kept' }] });
    expect(await readFile(`${keyFile()}.discarded`, 'utf8')).toBe('not a key\n');
    const entries = (await run('audit', 'export')).stdout;
    expect(entries).toContain('"secrets.discarded"');
    expect(entries).toContain('"server.removed"');
    await using gateway = await startGatewayHere(cli, data, ['-c', config]);
    const { body } = await gateway.api('GET', '/api/servers');
    expect(JSON.stringify(body)).not.toContain('"kept"');
    expect((await gateway.api('GET', '/api/audit/verification')).body).toMatchObject({ findings: [] });
  });

  test('a start with a wrong passphrase leaves no salt behind', async () => {
    const location = { dataDir: data, env: {}, log: silentLog };
    await (await openStore(location)).storage.close();
    const env = { TOOLWHARF_KEY: 'a passphrase that is long enough' };
    await expect(openStore({ ...location, env })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(existsSync(join(data, 'master.salt'))).toBe(false);
    await (await openStore(location)).storage.close();
  });
});

test('a start without the key of the database leaves no new key behind that looks like the right one', async () => {
  const location = { dataDir: data, env: {}, log: silentLog };
  const { storage } = await openStore(location);
  await storage.close();
  const key = join(data, 'master.key');
  await rename(key, `${key}.backup`);
  for (let start = 0; start < 2; start++) {
    await expect(openStore(location)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(existsSync(key)).toBe(false);
  }
  // A key that was there stays, even if it is the wrong one.
  await writeFile(key, `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
  await expect(openStore(location)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(existsSync(key)).toBe(true);
  await rename(`${key}.backup`, key);
  await (await openStore(location)).storage.close();
});
