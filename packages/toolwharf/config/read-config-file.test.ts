import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from './load-config.ts';
import { readConfigFile } from './read-config-file.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-file-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function refusal(name: string, content?: string | Uint8Array): Promise<Error> {
  const file = join(directory, name);
  if (content !== undefined) await writeFile(file, content);
  return loadConfig(file, { env: {} }).then(
    () => expect.fail('it was loaded'),
    (error: Error) => error,
  );
}

describe('an unreadable configuration file is rejected [M11]', () => {
  test('a missing configuration file is rejected', async () => {
    const error = await refusal('missing.yaml');
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/missing\.yaml' does not exist/),
    });
    expect(error).toMatchObject({ data: { problems: [{ file: join(directory, 'missing.yaml') }] } });
  });

  test('a directory instead of a configuration file is rejected', async () => {
    await mkdir(join(directory, 'folder.yaml'));
    expect((await refusal('folder.yaml')).message).toMatch(/is a directory/);
  });

  test.each(['', ' \n\t\n', '\ufeff'])('an empty file: %j', async (content) => {
    expect((await refusal('empty.yaml', content)).message).toMatch(/is empty/);
  });

  test('a configuration file of comments only is rejected', async () => {
    expect((await refusal('comments.yaml', '# nothing yet\n')).message).toMatch(
      /must be a map with servers, found nothing/,
    );
  });

  test('a configuration file of binary garbage is rejected', async () => {
    const bytes = Uint8Array.from({ length: 4096 }, (_, index) => (index * 197 + 13) % 256);
    expect(await refusal('garbage.json', bytes)).toMatchObject({ code: 'CONFIG_INVALID' });
    expect((await refusal('garbage.json', bytes)).message).toMatch(/not a text file/);
    expect((await refusal('nul.yaml', 'servers: \0')).message).toMatch(/not a text file/);
  });

  test('a configuration file of 10 MB is rejected', async () => {
    expect((await refusal('large.yaml', `servers:\n${'  # padding\n'.repeat(900_000)}`)).message).toMatch(
      /larger than 1 MiB/,
    );
  });

  test('an endless device instead of a configuration file is rejected', async () => {
    await expect(readConfigFile('/dev/zero')).rejects.toThrow(/larger than 1 MiB/);
  });

  test('a configuration that is a list, a string or a number is rejected', async () => {
    expect((await refusal('list.yaml', '- a\n- b\n')).message).toMatch(
      /list\.yaml:1:1 {2}must be a map with servers, found a list/,
    );
    expect((await refusal('text.yaml', 'hello')).message).toMatch(/found "hello"/);
    expect((await refusal('number.json', '42')).message).toMatch(/found 42/);
  });
});

describe('a configuration file', () => {
  test('a configuration file may start with a byte order mark, as Windows programs write it', async () => {
    const text = 'servers: {a: {command: é}}';
    await writeFile(join(directory, 'utf8.yaml'), `\ufeff${text}`);
    await writeFile(join(directory, 'utf16.yaml'), Buffer.from(`\ufeff${text}`, 'utf16le'));
    await expect(readConfigFile(join(directory, 'utf8.yaml'))).resolves.toBe(text);
    await expect(readConfigFile(join(directory, 'utf16.yaml'))).resolves.toBe(text);
  });

  test('a configuration file may have Windows line endings, with correct positions in problems', async () => {
    const error = await refusal('crlf.yaml', 'servers:\r\n  a:\r\n    comand: x\r\n');
    expect(error.message).toContain('crlf.yaml:3:5  servers.a.comand');
  });

  test('a configuration file that is rewritten while it is read is never a mixture of two versions', async () => {
    const file = join(directory, 'rewritten.yaml');
    const versions = ['servers: {first: {command: x}}\n', 'servers: {second: {command: x}}\n'];
    writeFileSync(file, versions[0] ?? '');
    for (let round = 0; round < 1000; round++) {
      let done = false;
      // Between truncation and writing, the file is empty and rejected.
      const reading = readConfigFile(file).catch(() => undefined);
      void reading.then(() => {
        done = true;
      });
      for (let index = round; !done; index++) {
        writeFileSync(file, versions[index % 2] ?? '');
        await setImmediate();
      }
      expect([...versions, undefined]).toContain(await reading);
    }
  });
});
