import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { collectLog, fixture, tempDir } from '../../../test/support/fixtures.ts';
import { openToolbox } from '../../../test/support/toolbox.ts';
import { patienceMs } from '../../../test/support/wait-for.ts';

const node = `'${process.execPath}'`;
/** A server whose variable SECRET is what a program prints. */
const withSecret = (script: string, ...args: string[]) => ({
  ...fixture('legacy'),
  env: { SECRET: `\${command:${[node, `'${script}'`, ...args].join(' ')}}` },
});
const read = { name: 'SECRET' };

describe('${command:…}', () => {
  test('a command runs without a shell at each start of the server, and its output is redacted and in no log', async () => {
    await using dir = await tempDir();
    const [script, runs] = [dir.file('print secret.mjs'), dir.file('runs')];
    await writeFile(
      script,
      `import { appendFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(runs)}, JSON.stringify([process.argv.slice(2), process.env.TOOLWHARF_TOKEN ?? null]) + '\\n');
      console.log('hunter22');`,
    );
    const { log, entries } = collectLog();
    const env = { ...process.env, TOOLWHARF_TOKEN: 'not for commands' };
    const servers = { one: withSecret(script, '$HOME', '"a b"', '>', 'x') };
    await using toolbox = await openToolbox({ servers }, { log, env });
    expect(await toolbox.call('mcp_one_env', read)).toMatchObject({ text: '[redacted]' });
    expect((await readFile(runs, 'utf8')).trim()).toBe(JSON.stringify([['$HOME', 'a b', '>', 'x'], null]));
    await toolbox.servers.disconnect('one');
    await toolbox.servers.connect('one');
    expect((await readFile(runs, 'utf8')).trim().split('\n')).toHaveLength(2);
    expect(JSON.stringify([entries, toolbox.servers.list()])).not.toContain('hunter22');
  });

  test('a value is used again for as long as the cache says, also by servers that start at the same time', async () => {
    await using dir = await tempDir();
    const [script, runs] = [dir.file('print.mjs'), dir.file('runs')];
    await writeFile(
      script,
      `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(runs)}, 'run\\n'); console.log('hunter22');`,
    );
    const servers = { one: withSecret(script), two: withSecret(script) };
    await using toolbox = await openToolbox({ servers, toolbox: { secretCommands: { cache: '1h' } } });
    await toolbox.servers.disconnect('one');
    await toolbox.servers.connect('one');
    expect(toolbox.servers.list().map(({ status }) => status.state)).toEqual(['connected', 'connected']);
    expect(await readFile(runs, 'utf8')).toBe('run\n');
  });

  test.each([
    ['process.exit(3)', 'ended with exit code 3'],
    ['', 'printed nothing'],
    ['process.stdout.write("x".repeat(70_000))', 'printed more than 65536 characters'],
    ['setInterval(() => {}, 1000)', 'did not end within 500 ms (toolbox.secretCommands.timeout)'],
  ])('a command that fails leaves its server disconnected, and the status names both: %s', async (code, reason) => {
    await using dir = await tempDir();
    const script = dir.file('fail.mjs');
    await writeFile(script, code);
    const timeout = reason.includes('500 ms') ? 500 : patienceMs;
    const server = withSecret(script);
    await using toolbox = await openToolbox({ servers: { one: server }, toolbox: { secretCommands: { timeout } } });
    expect(toolbox.servers.get('one')?.status).toMatchObject({
      state: 'error',
      code: 'SERVER_UNREACHABLE',
      reason: `Server 'one' needs ${server.env.SECRET}, but the command ${reason}. Run it as the user of Toolwharf to see why, and correct the command or the reference`,
    });
  });

  test('a command that does not exist, and a quote that is not closed, are named', async () => {
    const env = (line: string) => ({ ...fixture('legacy'), env: { SECRET: `\${command:${line}}` } });
    await using toolbox = await openToolbox({ servers: { one: env('no-such-program x'), two: env("cat 'x") } });
    expect(toolbox.servers.get('one')?.status.reason).toContain('could not be started (ENOENT)');
    expect(toolbox.servers.get('two')?.status.reason).toContain('a quote is not closed');
  });

  test('${keychain:…} is read with the program of the system, and a missing program or entry is named with the remedy', async ({
    skip,
  }) => {
    skip(process.platform !== 'linux', 'reads the keychain of Linux');
    await using dir = await tempDir();
    const program = dir.file('secret-tool');
    await writeFile(
      program,
      `#!${process.execPath}\nif (process.argv.slice(2).join(' ') === 'lookup service notes username ada/work') console.log('hunter22'); else process.exit(1);\n`,
      { mode: 0o755 },
    );
    const server = (path: string) => ({ ...fixture('legacy'), env: { SECRET: `\${keychain:${path}}` } });
    const servers = { one: server('notes/ada/work'), two: server('notes/bob'), three: server('notes') };
    const env = { ...process.env, PATH: dir.path };
    await using toolbox = await openToolbox({ servers }, { env });
    expect(await toolbox.call('mcp_one_env', read)).toMatchObject({ text: '[redacted]' });
    expect(toolbox.servers.get('two')?.status.reason).toBe(
      "Server 'two' needs ${keychain:notes/bob}, but secret-tool, which reads the keychain, ended with exit code 1. Install it (Debian: libsecret-tools), unlock the keychain, and store the value with: secret-tool store --label 'notes' service 'notes' username 'bob'",
    );
    expect(toolbox.servers.get('three')?.status.reason).toContain('Write ${keychain:SERVICE/ACCOUNT}');
    await using without = await openToolbox({ servers: { one: server('a/b') } }, { env: { PATH: '/nowhere' } });
    expect(without.servers.get('one')?.status.reason).toContain('could not be started (ENOENT). Install it');
  });

  test('a server that is added while the toolbox runs cannot name a command or an entry of the keychain', async () => {
    await using toolbox = await openToolbox({ servers: {} });
    const server = { ...fixture('legacy'), env: { SECRET: '${keychain:notes/ada}' } };
    const refused = {
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('works in the configuration file only'),
    };
    await expect(toolbox.servers.add('one', server)).rejects.toMatchObject(refused);
    await toolbox.servers.add('one', fixture('legacy'));
    await expect(toolbox.servers.update('one', server)).rejects.toMatchObject(refused);
  });
});
