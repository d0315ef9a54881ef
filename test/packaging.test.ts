import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempDir } from './support/fixtures.ts';
import { packageOf, root } from './support/imports.ts';

// These tests look at what was built; they build nothing.
const run = promisify(execFile);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const directory = await tempDir();
let files: string[] = [];
let tarball = '';

interface Manifest {
  readonly version: string;
  readonly bin: Record<string, string>;
  readonly exports: Record<string, string | Record<string, string>>;
}

beforeAll(async () => {
  // --ignore-scripts: prepack would build again, under the feet of the other tests.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory.path];
  const { stdout } = await run('npm', args, { cwd: root, env: plainEnv() });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  files = packed.files.map(({ path }) => path);
  tarball = directory.file(packed.filename);
});

afterAll(() => directory[Symbol.asyncDispose]());

test('the package holds what was built, the schema and the documents, and nothing else', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'package.json',
      'README.md',
      'CHANGELOG.md',
      'LICENSE',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/cli/main.js',
      'dist/web/index.html',
      'schema/toolwharf.schema.json',
    ]),
  );
  const allowed =
    /^(dist\/.+\.(js|d\.ts)|dist\/cli\/third-party-licences\.txt|dist\/web\/(index\.html|icon\.svg(\.(br|gz))?|assets\/.+\.(js|css)(\.(br|gz))?)|schema\/.+\.json|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
  expect(files.filter((file) => !allowed.test(file))).toEqual([]);
  expect(files.filter((file) => /\.test\.|fixtures|\bsrc\//.test(file))).toEqual([]);
});

test('every path that package.json publishes was built and is packed', () => {
  const published = [
    ...Object.values(manifest.bin),
    ...Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'string' ? entry : Object.values(entry))),
  ];
  expect(published.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(published.filter((path) => !files.includes(path.replace('./', '')))).toEqual([]);
});

test('the command line is in one place, with the licences of what is built into it', async () => {
  expect(files.filter((file) => /^dist\/(chat|gateway)\//.test(file))).toEqual([]);
  const licences = readFileSync(join(root, 'dist', 'cli', 'third-party-licences.txt'), 'utf8');
  for (const name of ['@modelcontextprotocol/client', 'commander', 'yaml', 'zod'])
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
  const { stdout } = await run(process.execPath, [join(root, 'dist', 'cli', 'main.js'), '--version'], {
    env: { ...plainEnv(), HOME: directory.path, XDG_CACHE_HOME: '' },
  });
  expect(stdout.trim()).toBe(manifest.version);
});

test('publint finds nothing wrong with the package', async () => {
  const publint = join(root, 'node_modules', 'publint', 'src', 'cli.js');
  const { stdout } = await run(process.execPath, [publint, tarball, '--strict'], { env: plainEnv() });
  expect(stdout).toContain('All good');
});

test('importing the built library starts no process, keeps none alive and loads only what it needs', async () => {
  const entry = pathToFileURL(join(root, 'dist', 'index.js')).href;
  // It must end by itself: no timer, socket or child may hold it.
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const library = await import(${JSON.stringify(entry)});
    const open = process.getActiveResourcesInfo();
    console.log(JSON.stringify({ names: Object.keys(library), loaded, open }));`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], { env: plainEnv() });
  const { names, loaded, open } = JSON.parse(stdout) as Record<'names' | 'loaded' | 'open', string[]>;
  expect(stderr).toBe('');
  expect(names).toContain('createToolbox');
  expect(open).not.toContain('ProcessWrap');
  const packages = new Set(loaded.map(packageOfUrl).filter((name) => name !== undefined));
  const unwanted =
    /^(commander|picocolors|express|fastify|hono|koa|pg|openai|ai|langchain|@(ai-sdk|anthropic-ai|google|hono|langchain)\/.+|@modelcontextprotocol\/(server|node))$/;
  expect([...packages].filter((name) => unwanted.test(name))).toEqual([]);
  expect(loaded.filter((url) => url.includes('/dist/cli/') || url === 'node:sqlite')).toEqual([]);
});

// npm, run by npm, must not take over the outer run's settings.
function plainEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_V8_COVERAGE|NODE_OPTIONS|VITEST)/i.test(name),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: '1' };
}

function packageOfUrl(url: string): string | undefined {
  const path = url.split('/node_modules/').at(-1);
  return path === undefined || path === url ? undefined : packageOf(path);
}
