import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { root } from '../support/imports.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
let gateway: TestGateway;
beforeAll(async () => {
  const config = await cli.config({ servers: { files: fixture('legacy') } });
  gateway = await startGateway(cli, directory.file('data'), ['-c', config]);
  await waitFor(() => gateway.stderr().includes('✔ files'), { what: 'the server' });
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe('toolwharf emit-ts', () => {
  test('the generated module compiles, is typed and calls the tools through the gateway', async () => {
    const file = directory.file('tools.ts');
    const written = await cli.run(['emit-ts', '--tool', 'files/add', '--tool', 'mcp_files_echo', '-o', file]);
    expect(written).toMatchObject({ code: 0, stdout: '', stderr: `Wrote 2 tools to ${file}\n` });
    const { createTools } = (await import(pathToFileURL(file).href)) as {
      createTools(): { files: Record<string, (args: object) => Promise<{ text: string }>> };
    };
    const { files } = createTools();
    expect(Object.keys(files).sort()).toEqual(['add', 'echo']);
    expect(await files.add?.({ a: 1, b: 2 })).toMatchObject({ text: '3', isError: false });
    await expect(files.add?.({ a: 'x' })).rejects.toThrow(/Invalid arguments/);

    const use = (args: string) =>
      `import { createTools } from './tools.ts';\nawait createTools().files.add(${args});\n`;
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
      '--target',
      'es2024',
    ];
    const compile = async (args: string) => {
      await writeFile(directory.file('use.mts'), use(args));
      const tsc = join(root, 'node_modules', '.bin', 'tsc');
      return spawnSync(tsc, [...options, '--types', '', 'use.mts'], { cwd: directory.path, encoding: 'utf8' }).stdout;
    };
    expect(await compile('{ a: 1, b: 2 }')).toBe('');
    expect(await compile('{ a: "one", b: 2 }')).toContain("Type 'string' is not assignable to type 'number'");
    expect(await readFile(file, 'utf8')).toContain(`url = "${gateway.url}"`);
  });

  test('a selection without a tool is wrong usage', async () => {
    expect(await cli.run(['emit-ts', '--tool', 'nothing'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a server at a URL', () => {
  const env = { TOOLWHARF_DATA_DIR: directory.file('elsewhere') };

  test('toolwharf tools and call use a server that is not configured', async () => {
    const url = `${gateway.url}/mcp`;
    const listed = await cli.run(['tools', url], { env });
    expect(listed).toMatchObject({ code: 0, source: `Using ${url} without a gateway` });
    expect(listed.stdout).toContain('files__echo');
    expect(await cli.run(['call', url, 'files__echo', 'text=hello'], { env })).toMatchObject({
      code: 0,
      stdout: 'hello\n',
    });
    expect(await cli.run(['call', url, 'files__ecko', 'text=x'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean'),
    });
    expect(await cli.run(['call', url], { env })).toMatchObject({ code: 2 });
    const wrong = await cli.run(['tools', url, '--header', 'Authorization: Bearer ${NO_KEY}'], {
      env: { ...env, NO_KEY: 'tw_wrong' },
    });
    expect(wrong.code).toBe(4);
  });
});

describe('toolwharf completion', () => {
  test('the script for bash completes commands, and tools of the running gateway', async () => {
    const { stdout: script } = await cli.run(['completion', 'bash']);
    const complete = (...words: string[]) => {
      const program = `toolwharf() { "${process.execPath}" "${join(root, 'packages/cli/main.ts')}" "$@"; }
${script}
COMP_WORDS=(toolwharf ${words.join(' ')}${words.at(-1) === '' ? ' ""' : ''}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _toolwharf; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const own = { PATH: process.env.PATH, HOME: directory.path, TOOLWHARF_DATA_DIR: directory.file('data') };
      return spawnSync('bash', ['-c', program], { env: own, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
    };
    expect(complete('ser')).toEqual(['serve', 'servers']);
    expect(complete('call', 'mcp_files_e')).toContain('mcp_files_echo');
    expect(complete('tools', '--ser')).toEqual(['--server']);
  });

  test('the script for zsh works from a directory of fpath and when it is sourced, and completes files otherwise', async () => {
    const { stdout: script } = await cli.run(['completion', 'zsh']);
    expect(script).toMatch(/^#compdef toolwharf\n_toolwharf\(\) \{\n/);
    expect(script).toContain('$(toolwharf complete -- "${(@)words[2,$CURRENT]}" 2>/dev/null)');
    expect(script).toMatch(/compadd -a found\n\s+else\n\s+_files\n/);
    expect(script).toMatch(/== _toolwharf \]\]; then\n\s+_toolwharf\nelse\n\s+compdef _toolwharf toolwharf\nfi\n$/);
  });

  test('the script for fish asks for the words before the cursor, and completes files otherwise', async () => {
    const { stdout: script } = await cli.run(['completion', 'fish']);
    expect(script).toContain('(toolwharf complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)');
    expect(script).toContain("printf '%s\\n' $found");
    expect(script).toContain('__fish_complete_path (commandline -ct)');
    expect(script).toMatch(/\ncomplete -c toolwharf -f -a '\(__toolwharf_complete\)'\n$/);
    const opened = script.match(/^\s*(function|if) /gm)?.length;
    expect(script.match(/^\s*end$/gm)).toHaveLength(opened ?? 0);
  });

  test('a shell without a script is refused', async () => {
    expect(await cli.run(['completion', 'cmd'])).toMatchObject({ code: 2 });
  });
});
