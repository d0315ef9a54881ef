import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
// Imported by path: under the conditions of the tests, the package name resolves to TypeScript sources, which Node cannot load.
import { checkPackage, createPackageFromTarballData } from '../node_modules/@arethetypeswrong/core/dist/index.js';
import { fixture, startHttp, tempDir } from './support/fixtures.ts';
import { packageOf, root } from './support/imports.ts';
import { install, type Packed, pack, plainEnv, readManifest } from './support/installed.ts';
import { toPage } from './support/markdown.ts';
import { serveNpmRegistry } from './support/serve-npm-registry.ts';

// These tests check the build; they do not build.
const run = promisify(execFile);
const library = readManifest();
const gateway = readManifest('packages/gateway');
const directory = await tempDir();

afterAll(() => directory[Symbol.asyncDispose]());

describe('the library package', () => {
  let packed: Packed;
  beforeAll(async () => {
    packed = await pack('', directory.path);
    await install(packed, library, directory.file('library'));
  });

  test('the library package contains the library, the schema and the documents, and nothing else', () => {
    expect(packed.files).toEqual(
      expect.arrayContaining([
        'dist/toolwharf/index.js',
        'dist/toolwharf/index.d.ts',
        'schema/toolwharf.schema.json',
        'README.md',
        'LICENSE',
      ]),
    );
    const allowed =
      /^(dist\/(contract|toolwharf)\/.+\.(js|d\.ts)|dist\/toolwharf\/third-party-licences\.txt|bin\/toolwharf\.js|schema\/.+\.json|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
    expect(packed.files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(packed.files.filter((file) => file.includes('.test.'))).toEqual([]);
  });

  test('the library package contains every path that package.json publishes', () => {
    const published = [
      ...Object.values(library.bin),
      ...Object.values(library.exports).flatMap((entry) => (typeof entry === 'string' ? entry : Object.values(entry))),
    ];
    expect(published.filter((path) => !packed.files.includes(path.replace('./', '')))).toEqual([]);
  });

  test('the library package imports only its dependencies, in its code and in its types, and contains the licences of the packages whose code it contains', () => {
    const dependencies = Object.keys({ ...library.dependencies, ...library.peerDependencies });
    const files = packed.files.filter((file) => /\.(js|d\.ts)$/.test(file) && file.startsWith('dist/'));
    const imported = files.flatMap((file) => {
      const code = readFileSync(join(root, file), 'utf8').replace(/^ *\*.*$/gm, '');
      const found = code.matchAll(
        /^(?:import|export)\b[^"'`;=]*\bfrom ["']([^."'][^"']*)["'];?$|\bimport\(["']([^."'][^"']*)["']\)/gm,
      );
      return [...found].map(([, fixed, dynamic]) => packageOf(fixed ?? dynamic ?? ''));
    });
    const packages = new Set(imported.filter((name) => !isBuiltin(name)));
    expect(packages).toContain('undici');
    expect([...packages].filter((name) => !dependencies.includes(name))).toEqual([]);
    const licences = readFileSync(join(root, 'dist', 'toolwharf', 'third-party-licences.txt'), 'utf8');
    for (const name of ['@modelcontextprotocol/client', 're2js', 'typebox', 'yaml', 'zod'])
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
  });

  test('the library package passes publint', () => expectNoLint(packed));

  test('the library package is small: 900 kB packed, 4 MB unpacked', () => {
    expect(packed.bytes).toBeLessThan(900_000);
    expect(packed.unpackedBytes).toBeLessThan(4_000_000);
  });

  test('the library package has types that programs find, for every entry and module resolution that Node supports', async () => {
    const archive = createPackageFromTarballData(readFileSync(packed.tarball));
    const checked = await checkPackage(archive);
    if (!checked.types) throw new Error('the package has no types');
    // `node10` is the resolution of TypeScript before Node had exports. A CommonJS module can `require` this ESM since Node 22.12.
    const ignored = (resolution: string | undefined) => resolution === 'node10';
    const problems = checked.problems
      .filter((problem) => problem.kind !== 'CJSResolvesToESM')
      .filter((problem) => !('resolutionKind' in problem && ignored(problem.resolutionKind)))
      .map((problem) => `${problem.kind} ${'entrypoint' in problem ? problem.entrypoint : ''}`);
    expect(problems).toEqual([]);
    const entries = Object.keys(library.exports);
    expect(Object.keys(checked.entrypoints)).toEqual(expect.arrayContaining(entries));
  });

  test('the types of the library package have no errors under exactOptionalPropertyTypes, and failure codes are checked', async () => {
    const program = [
      `import type { ToolResult } from '${join(root, 'dist/toolwharf/index.js')}';`,
      "export const isDenied = ({ failure }: ToolResult) => failure?.code === 'CALL_DENIED';",
      '// @ts-expect-error A misspelt code does not compile.',
      "export const isWrong = ({ failure }: ToolResult) => failure?.code === 'CALL_DENYED';",
    ];
    const file = directory.file('failure-codes.mts');
    writeFileSync(file, program.join('\n'));
    const options =
      '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck false --module nodenext --target es2024';
    const types = ['--lib', 'es2024,esnext.disposable,dom', '--types', 'node'];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    // In the repository, whose packages have their types.
    const args = [compiler, '--ignoreConfig', ...options.split(' '), ...types, 'dist/toolwharf/index.d.ts', file];
    const { stdout } = await run(process.execPath, args, { cwd: root }).catch((failure) => failure);
    // Other packages have errors of their own.
    const own = String(stdout)
      .split('\n')
      .filter((line) => /^dist\/|failure-codes|^error/.test(line));
    expect(own).toEqual([]);
  });

  test('the library package loads every entry with its own dependencies only, and a toolbox runs tools of a server and local tools', async () => {
    const entries = Object.keys(library.exports).filter((path) => !path.endsWith('.json'));
    const server = fixture('legacy');
    const program = `
      import { createToolbox, localTool } from 'toolwharf';
      import { createBridge } from 'toolwharf/bridge';
      import { runOpenAIToolCalls, toOpenAITools } from 'toolwharf/openai';
      for (const entry of ${JSON.stringify(entries)}) await import('toolwharf' + entry.slice(1));
      const double = localTool({
        name: 'double',
        description: 'Doubles a number',
        parameters: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
        execute: ({ value }) => value * 2,
      });
      const config = { servers: { demo: ${JSON.stringify(server)} } };
      await using toolbox = await createToolbox(config, { tools: [double] });
      const { text } = await toolbox.call('double', { value: 21 });
      const invalid = await toolbox.call('double', { value: 'x' });
      const name = toOpenAITools(toolbox).map((tool) => tool.function.name).find((tool) => tool.endsWith('echo'));
      const [answer] = await runOpenAIToolCalls(toolbox, [
        { id: '1', type: 'function', function: { name, arguments: '{"text":"ahoy"}' } },
      ]);
      await using bridge = await createBridge(config);
      console.log(JSON.stringify({ text, isError: invalid.isError, name, answer: answer.content, count: bridge.getToolsForAgent().length }));`;
    const project = directory.file('library');
    writeFileSync(join(project, 'program.mjs'), program);
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: project, env: plainEnv() });
    expect(JSON.parse(stdout)).toEqual({
      text: '42',
      isError: true,
      name: 'mcp_demo_echo',
      answer: 'ahoy',
      count: expect.any(Number),
    });
    for (const name of ['hono', 'pg', 'ai', 'kysely', 'commander'])
      expect(existsSync(join(project, 'node_modules', name))).toBe(false);
  });

  test.each(['es', 'cjs'] as const)(
    'a program bundled with the library as one %s file calls tools over stdio and HTTP',
    async (format) => {
      await using remote = await startHttp('legacy-http');
      const config = { servers: { local: fixture('legacy'), remote: { url: remote.url } } };
      const project = directory.file('library');
      const entry = join(project, `bundled-${format}.mjs`);
      // A module of CommonJS has no top-level await.
      const program = `
      import { createToolbox } from 'toolwharf';
      import { createScripts } from 'toolwharf/code';
      async function main() {
        const toolbox = await createToolbox(${JSON.stringify(config)});
        const called = ['mcp_local_echo', 'mcp_remote_echo'].map((name) => toolbox.call(name, { text: name }));
        const texts = (await Promise.all(called)).map(({ text }) => text);
        await toolbox.close();
        let scripts;
        try { createScripts(); } catch (problem) { scripts = problem.message; }
        console.log(JSON.stringify({ texts, scripts }));
      }
      main();`;
      writeFileSync(entry, program);
      const outDir = directory.file(`bundle-${format}`);
      const file = format === 'es' ? 'main.mjs' : 'main.cjs';
      await build({
        root: project,
        configFile: false,
        logLevel: 'error',
        ssr: { noExternal: true },
        build: {
          ssr: entry,
          target: 'node22',
          outDir,
          emptyOutDir: false,
          rolldownOptions: { output: { format, entryFileNames: file, codeSplitting: false } },
        },
      });
      expect(readdirSync(outDir)).toEqual([file]);
      const { stdout } = await run(process.execPath, [file], { cwd: outDir, env: plainEnv() });
      expect(JSON.parse(stdout)).toEqual({
        texts: ['mcp_local_echo', 'mcp_remote_echo'],
        scripts: expect.stringContaining("mark 'toolwharf' as external"),
      });
    },
  );

  test('the library package has a command that names the package with the command line', async () => {
    const script = join(directory.file('library'), 'node_modules', 'toolwharf', 'bin', 'toolwharf.js');
    const failed = await run(process.execPath, [script, 'serve', '--port', '1'], { env: plainEnv() }).catch(
      (cause) => cause,
    );
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('Run: npx toolwharf-gateway serve --port 1');
  });

  test('the library package starts no process on import, keeps none alive and loads no unused packages', async () => {
    const entry = pathToFileURL(join(root, 'dist', 'toolwharf', 'index.js')).href;
    // The process must end without help: no timer, socket or child may keep it alive.
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
    expect([...packages].filter((name) => library.dependencies?.[name] === undefined)).toEqual([]);
    expect(loaded).not.toContain('node:sqlite');
  });
});

describe('the gateway package', () => {
  let packed: Packed;
  beforeAll(async () => {
    await run(process.execPath, [join(root, 'scripts', 'assemble-gateway.mjs'), '--no-build']);
    packed = await pack('packages/gateway', directory.path);
    await install(packed, gateway, directory.file('gateway'));
  });

  test('the gateway package contains the command line, the web app, the documentation, the licences of bundled packages, and nothing else', () => {
    expect(packed.files).toEqual(
      expect.arrayContaining([
        'dist/cli/main.js',
        'dist/web/index.html',
        'dist/docs/index.html',
        'README.md',
        'LICENSE',
      ]),
    );
    const allowed =
      /^(dist\/cli\/(.+\.js|third-party-licences\.txt)|dist\/web\/(index\.html|icon\.svg(\.(br|gz))?|assets\/.+\.(js|css)(\.(br|gz))?)|dist\/docs\/([\w-]+\/)*[\w.-]+\.(html|js|css|json|svg|png|txt)|package\.json|README\.md|LICENSE)$/;
    expect(packed.files.filter((file) => !allowed.test(file))).toEqual([]);
    const licences = readFileSync(join(root, 'dist', 'cli', 'third-party-licences.txt'), 'utf8');
    for (const name of ['@modelcontextprotocol/client', 'commander', 'yaml', 'zod'])
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
  });

  test('the gateway package passes publint', () => expectNoLint(packed));

  test('the gateway package is small: 6 MB packed, 20 MB unpacked', () => {
    expect(packed.bytes).toBeLessThan(6_000_000);
    expect(packed.unpackedBytes).toBeLessThan(20_000_000);
  });

  test('the gateway package lists every package that the command line imports, and no other', () => {
    const directory = join(root, 'dist', 'cli');
    const code = readdirSync(directory)
      .filter((file) => file.endsWith('.js'))
      .map((file) => readFileSync(join(directory, file), 'utf8'));
    const imported = code.flatMap((text) =>
      [...text.matchAll(/^import\b[^"'`;]*["']([^."'][^"']*)["'];?$|\bimport\("([^."][^"]*)"\)/gm)].map(
        ([, fixed, dynamic]) => packageOf(fixed ?? dynamic ?? ''),
      ),
    );
    const packages = new Set(imported.filter((name) => !name.startsWith('node:')));
    expect([...packages].sort()).toEqual(Object.keys(gateway.dependencies ?? {}).sort());
  });

  test('the gateway package has the version of the library, and the same versions of the packages that both use', () => {
    expect(gateway.version).toBe(library.version);
    const shared = Object.entries(gateway.dependencies ?? {}).filter(([name]) => library.dependencies?.[name]);
    expect(library.dependencies).toMatchObject(Object.fromEntries(shared));
  });

  test('the gateway package serves the web app, the API, MCP and A2A and calls tools with its own dependencies only', async () => {
    const project = directory.file('gateway');
    writeFileSync(join(project, 'toolwharf.yaml'), JSON.stringify({ servers: { demo: fixture('legacy') } }));
    const main = join(project, 'node_modules', gateway.name, gateway.bin.toolwharf ?? '');
    const options = { cwd: project, env: { ...plainEnv(), HOME: project, XDG_CACHE_HOME: '' } };
    const version = await run(process.execPath, [main, '--version'], options);
    expect(version.stdout.trim()).toBe(gateway.version);
    const called = await run(process.execPath, [main, 'call', 'mcp_demo_echo', 'text=ahoy'], options);
    expect(called.stdout).toContain('ahoy');

    await using served = await serve(process.execPath, [main, 'serve', '--port', '0'], options);
    expect(await served.get('/')).toContain('<title>');
    expect(await served.get('/docs/guide/approval')).toContain('<h1');
    expect(await served.get('/api/tools')).toContain('mcp_demo_echo');
    expect(await served.get('/.well-known/agent-card.json')).toContain('echo');
    expect(await served.get('/metrics')).toContain('tool_usage');
  });

  test('npx runs the gateway from the tarball in an empty directory, with the app and the default server, as getting started says', async () => {
    const page = toPage('getting-started.md', readFileSync(join(root, 'docs', 'guide', 'getting-started.md'), 'utf8'));
    const documented = page.blocks
      .flatMap(({ text }) => text.split('\n'))
      .find((text) => /^npx \S*\.tgz serve/.test(text));
    expect(documented).toContain(`${gateway.name}-${gateway.version}.tgz serve`);
    const home = directory.file('npx-home');
    const empty = directory.file('npx-home/empty');
    mkdirSync(empty, { recursive: true });
    copyFileSync(packed.tarball, join(home, basename(packed.tarball)));
    const filesystem = '@modelcontextprotocol/server-filesystem';
    await using registry = await serveNpmRegistry([...Object.keys(gateway.dependencies ?? {}), filesystem]);
    writeFileSync(join(home, '.npmrc'), `registry=${registry.url}\nupdate-notifier=false\naudit=false\nfund=false\n`);

    const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' };
    const command = `${documented?.replace('npx', 'npx --yes')} --port 0`;
    await using served = await serve('sh', ['-c', command], { cwd: empty, env });
    expect(await served.get('/')).toContain('<title>');
    await expect.poll(() => served.get('/api/tools')).toContain('mcp_filesystem_list_directory');
    expect(readdirSync(empty)).toEqual([]);
    expect(registry.requests.map(({ path }) => decodeURIComponent(path))).toContain(`/${filesystem}`);
  });
});

/** Runs a command that serves the gateway, in a separate process group, until it is disposed. */
async function serve(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const failed = exited.then(([code]) => Promise.reject(new Error(`${command} exited with ${code}: ${errors}`)));
  failed.catch(() => {}); // It also exits when it is disposed.
  const [line] = await Promise.race([once(child.stdout, 'data'), failed]);
  const address = String(line).trim();
  return {
    get: async (path: string) => (await fetch(address + path)).text(),
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await exited;
    },
  };
}

async function expectNoLint({ tarball }: Packed): Promise<void> {
  const publint = join(root, 'node_modules', 'publint', 'src', 'cli.js');
  const { stdout } = await run(process.execPath, [publint, tarball, '--strict'], { env: plainEnv() });
  expect(stdout).toContain('All good');
}

function packageOfUrl(url: string): string | undefined {
  const path = url.split('/node_modules/').at(-1);
  return path === undefined || path === url ? undefined : packageOf(path);
}
