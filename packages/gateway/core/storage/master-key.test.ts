import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadMasterKey } from './master-key.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'toolwharf-key-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const load = (TOOLWHARF_KEY?: string, dataDir = join(directory, 'data')) =>
  loadMasterKey({ env: { TOOLWHARF_KEY }, dataDir });

describe('the master key [R17]', () => {
  test('the master key is created in a file that only its owner can read, and later starts use it', async () => {
    const key = await load();
    expect(key).toHaveLength(32);
    const file = join(directory, 'data', 'master.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'data')).mode & 0o777).toBe(0o700);
    expect(await load()).toEqual(key);
    expect(await load('')).toEqual(key);
  });

  test('the master key is the same for two processes that start at the same time', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => load()));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  });

  test('the master key is not written to a file when it is configured as base64, base64url or hex', async () => {
    const key = randomBytes(32);
    for (const text of [
      key.toString('base64'),
      key.toString('base64url'),
      key.toString('hex'),
      ` ${key.toString('hex')}\n`,
    ]) {
      expect(await load(text)).toEqual(key);
    }
    expect(() => statSync(join(directory, 'data'))).toThrow();
  });

  test('the master key can be derived from a passphrase and the stored salt', async () => {
    const key = await load('correct horse battery');
    expect(key).toHaveLength(32);
    expect(await load('correct horse battery')).toEqual(key);
    expect(await load('correct horse battery!')).not.toEqual(key);
    expect(await load('correct horse battery', join(directory, 'other'))).not.toEqual(key);
    expect(statSync(join(directory, 'data', 'master.salt')).mode & 0o777).toBe(0o600);
  });

  test('the master key is rejected if it is short, with a command that generates a valid one', async () => {
    await expect(load('hunter2')).rejects.toThrow(/openssl rand -base64 32/);
    await expect(load('hunter2')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('the master key is rejected if its file is readable by others, with advice', async () => {
    await load();
    const file = join(directory, 'data', 'master.key');
    chmodSync(file, 0o644);
    await expect(load()).rejects.toThrow(`${file} can be read by others (mode 644). Run: chmod 600 ${file}`);
    chmodSync(file, 0o600);
    await expect(load()).resolves.toHaveLength(32);
  });

  test('the master key is rejected if its file contains no key, and the file stays unchanged', async () => {
    const file = join(directory, 'master.key');
    for (const text of ['not a key', '']) {
      writeFileSync(file, text, { mode: 0o600 });
      await expect(load(undefined, directory)).rejects.toThrow(/does not hold 32 bytes/);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });

  test('the master key is rejected if the data directory is a file, with its path', async () => {
    writeFileSync(join(directory, 'file'), '');
    const refused = { code: 'CONFIG_INVALID', message: expect.stringContaining(join(directory, 'file', 'master.key')) };
    await expect(load(undefined, join(directory, 'file'))).rejects.toMatchObject(refused);
  });
});
