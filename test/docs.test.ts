import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfigText } from '../src/config/load-config.ts';
import { errorStatus } from '../src/kernel/errors.ts';
import { tempDir } from './support/fixtures.ts';
import { importsOf, packageOf, root } from './support/imports.ts';
import { type Block, type Page, readPages, toPage } from './support/markdown.ts';

/*
 * What a reader can try, these tests try. In README.md and docs/guide:
 *   ```ts run        a whole program, run against the built package; a ```text output block after it is what it prints
 *   ```console run   commands after "$ " and what they print
 *   ```ts            compiles; `toolbox` is there where a block does not open one
 *   ```yaml, ```json configuration that loads; marked `wrong`, it fails with the message of the ```text error block after it
 *   file=NAME        the block is written to that file before the programs below it run
 *   gateway          `toolwharf serve` runs meanwhile; http://127.0.0.1:7420 stands for its address
 * In an output, a line of three dots stands for any lines.
 */
const run = promisify(execFile);
const pages = readPages();
const taught = pages.filter(({ file }) => file === 'README.md' || file.startsWith('docs/guide/'));

describe('every page', () => {
  test('links only to what is there', () => {
    const byFile = new Map(pages.map((page) => [page.file, page]));
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter((link) => !leadsSomewhere(link, page, byFile))
        .map((link) => `${page.file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test('can be found from the README', () => {
    const found = new Set(['README.md']);
    for (const file of found) {
      const page = pages.find((candidate) => candidate.file === file);
      for (const link of page ? linksOf(page) : []) found.add(normalize(join(dirname(file), link.replace(/#.*/, ''))));
    }
    expect(pages.map(({ file }) => file).filter((file) => !found.has(file))).toEqual([]);
  });

  test('names only error codes that exist', () => {
    const families = new Set(Object.keys(errorStatus).map((code) => code.split('_')[0]));
    const unknown = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/(?<![\w$])[A-Z]+(?:_[A-Z]+)+(?!\w)/g)]
        .map(([code]) => code)
        .filter((code) => families.has(code.split('_')[0]) && !Object.hasOwn(errorStatus, code))
        .map((code) => `${file}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('configuration in the documents', () => {
  const examples = [...taught, ...pages.filter(({ file }) => file === 'docs/reference/config.md')].flatMap(
    ({ blocks }) => blocks.map((block, index) => ({ block, place: block.place, next: blocks[index + 1] })),
  );
  const configs = examples.filter(({ block }) => block.language === 'yaml' || block.language === 'json');
  const wrong = configs.filter(({ block }) => block.words.includes('wrong'));
  const load = ({ file, language, text }: Block) => parseConfigText(text, file ?? `toolwharf.${language}`, { env: {} });

  test.each(configs.filter((config) => !wrong.includes(config)))('$place loads', ({ block }) => {
    expect(load(block).config.servers).toBeInstanceOf(Array);
  });

  test.each(wrong)('$place fails as it says', ({ block, next }) => {
    expect(next?.words).toContain('error');
    expect(() => load(block)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message: next?.text }));
  });

  test('there are examples of both kinds', () => {
    expect(configs.length).toBeGreaterThan(5);
    expect(wrong.length).toBeGreaterThan(0);
  });
});

describe('programs in the documents', () => {
  const programs = taught.flatMap(({ file, blocks }) =>
    blocks.flatMap((block, index) => {
      if (!block.words.includes('run')) return [];
      return [{ file, block, place: block.place, before: blocks.slice(0, index), next: blocks[index + 1] }];
    }),
  );
  const workspaces = new Map<string, Workspace>();
  const workspaceOf = async (page: string) => {
    const workspace = workspaces.get(page) ?? (await createWorkspace());
    workspaces.set(page, workspace);
    return workspace;
  };
  afterAll(async () => {
    for (const workspace of workspaces.values()) await workspace[Symbol.asyncDispose]();
  });

  test.each(programs)('$place does what it says', async ({ file, block, before, next }) => {
    const workspace = await workspaceOf(file);
    for (const { file: name, text } of before) if (name !== undefined) await workspace.write(name, text);
    await using _gateway = block.words.includes('gateway') ? await workspace.serve() : undefined;
    if (block.language === 'console') {
      for (const { command, output } of commandsIn(block))
        expect(await workspace.sh(command)).toMatch(asPattern(output));
      return;
    }
    const printed = await workspace.run(block.text);
    if (next?.words.includes('output')) expect(printed).toMatch(asPattern(next.text));
  });

  test('the README shows the three lines that matter, and they are among those that run', () => {
    const shown = programs.filter(({ file }) => file === 'README.md').map(({ block }) => block.text);
    const lines = ['await using toolbox = await createToolbox(', 'toOpenAITools(toolbox)', 'await toolbox.call('];
    expect(shown.some((text) => lines.every((line) => text.includes(line)))).toBe(true);
  });

  describe('all of them', () => {
    let workspace: Workspace | undefined;
    beforeAll(async () => {
      workspace = await createWorkspace();
    });
    afterAll(() => workspace?.[Symbol.asyncDispose]());

    test('compile against the published types', async () => {
      const sources = taught.flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'ts'));
      expect(sources.length).toBeGreaterThan(10);
      expect(await workspace?.compile(sources)).toEqual('');
    });
  });
});

describe('these checks', () => {
  test('find blocks, their words and the headings that are no code', () => {
    const text = ['# A `b` c', '````md', '```ts run', '````', '```yaml file=x.yaml wrong', 'a: 1', '```', '[l](x)'];
    const page = toPage('p.md', text.join('\n'));
    expect(page.blocks).toEqual([
      { place: 'p.md:2', language: 'md', words: [], text: '```ts run' },
      { place: 'p.md:5', language: 'yaml', words: ['file=x.yaml', 'wrong'], file: 'x.yaml', text: 'a: 1' },
    ]);
    expect([...page.anchors]).toEqual(['a-b-c']);
    expect(linksOf(page)).toEqual(['x']);
  });

  test('tell an output that differs from one that is shortened', () => {
    expect('a\nb\nc').toMatch(asPattern('a\n...\nc'));
    expect('a\nb').not.toMatch(asPattern('a'));
    expect('a.b').not.toMatch(asPattern('axb'));
  });
});

const shownAddress = 'http://127.0.0.1:7420';

interface Workspace extends AsyncDisposable {
  write(name: string, text: string): Promise<void>;
  /** What a program prints; one that fails rejects with what it said. */
  run(program: string): Promise<string>;
  sh(command: string): Promise<string>;
  /** Runs the gateway until it is disposed of. */
  serve(): Promise<AsyncDisposable>;
  /** What the compiler has to say. */
  compile(blocks: readonly Block[]): Promise<string>;
}

/** A home like a user's: a project with the built package installed, and `npx` at hand for servers that are installed here. */
async function createWorkspace(): Promise<Workspace> {
  const directory = await tempDir();
  const home = directory.file('home');
  const project = join(home, 'agent');
  const bin = directory.file('bin');
  for (const path of [project, bin]) await mkdir(path, { recursive: true });
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  await writeFile(join(bin, 'package.json'), '{"type":"module"}');
  await writeFile(join(bin, 'npx'), npx(), { mode: 0o755 });
  const options = { cwd: project, env: { PATH: `${bin}:${process.env.PATH}`, HOME: home, NO_COLOR: '1' } };
  const cli = `"${process.execPath}" "${join(root, 'dist', 'cli', 'main.js')}"`;
  let count = 0;
  let address = shownAddress;

  async function link(name: string, target = join(root, 'node_modules', name)): Promise<void> {
    const path = join(project, 'node_modules', name);
    if (existsSync(path)) return;
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  }

  async function writeProgram(file: string, text: string): Promise<void> {
    await writeFile(file, text);
    await link('toolwharf', root);
    const packages = importsOf(file, text).filter(({ ours, to }) => !ours && !to.startsWith('node:'));
    for (const { to } of packages) await link(packageOf(to));
  }

  async function print(command: string, args: readonly string[]): Promise<string> {
    const { stdout } = await run(command, args, options);
    return stdout.replaceAll(home, '/home/ada').replaceAll(address, shownAddress).trimEnd();
  }

  return {
    write: (name, text) => writeFile(join(project, name), `${text}\n`),
    async run(program) {
      const file = join(project, `program-${++count}.ts`);
      await writeProgram(file, program.replaceAll(shownAddress, address));
      return print(process.execPath, [file]);
    },
    sh: (command) =>
      print('/bin/sh', ['-c', command.replace(/^(?:npm run --silent toolwharf --|npx toolwharf)(?= |$)/, () => cli)]),
    async serve() {
      const args = [join(root, 'dist', 'cli', 'main.js'), 'serve', '--port', '0'];
      const gateway = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
      const exited = once(gateway, 'exit');
      const [line] = await Promise.race([once(gateway.stdout, 'data'), exited]);
      address = String(line).trim();
      return {
        async [Symbol.asyncDispose]() {
          gateway.kill();
          await exited;
          address = shownAddress;
        },
      };
    },
    async compile(blocks) {
      for (const { place, text } of blocks) {
        const opened = /\btoolbox =/.test(text) ? '' : "declare const toolbox: import('toolwharf').Toolbox;\n";
        await writeProgram(join(project, `${place.replaceAll(/[/:]/g, '-')}.ts`), `export {};${opened}${text}`);
      }
      await link('@types/node');
      const target = { module: 'nodenext', target: 'es2024', lib: ['es2024', 'esnext.disposable'], types: ['node'] };
      const compilerOptions = { ...target, strict: true, noEmit: true, skipLibCheck: true };
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      return run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project]).then(
        ({ stdout }) => stdout,
        ({ stdout, stderr }) => `${stdout}${stderr}`,
      );
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** Runs a package that is installed here, as npx would, and never asks a registry. */
function npx(): string {
  return `#!${process.execPath}
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const [spec, ...args] = process.argv.slice(2).filter((arg, index) => index > 0 || arg !== '-y');
const directory = ${JSON.stringify(join(root, 'node_modules'))} + '/' + spec.replace(/(?<=.)@[^/]*$/, '');
const { bin } = JSON.parse(readFileSync(directory + '/package.json', 'utf8'));
const program = directory + '/' + (typeof bin === 'string' ? bin : Object.values(bin)[0]);
process.argv.splice(1, Infinity, program, ...args);
await import(pathToFileURL(program).href);
`;
}

function commandsIn({ text }: Block): { readonly command: string; readonly output: string }[] {
  const [, ...parts] = `\n${text}`.split(/\n\$ /);
  return parts.map((part) => {
    const [command = '', ...lines] = part.split('\n');
    return { command, output: lines.join('\n').trimEnd() };
  });
}

function asPattern(output: string): RegExp {
  const lines = output.trimEnd().split('\n');
  const pattern = lines
    .map((line) => (line === '...' ? '[^]*' : line.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
    .join('\n');
  return new RegExp(`^${pattern}$`);
}

function linksOf({ prose }: Page): string[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere(link: string, page: Page, byFile: ReadonlyMap<string, Page>): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page.file : normalize(join(dirname(page.file), path));
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || (byFile.get(file)?.anchors.has(anchor) ?? false);
}
