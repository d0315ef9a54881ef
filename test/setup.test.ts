import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from './support/fixtures.ts';
import { importsOf, packageOf, readPackages, readSources, root } from './support/imports.ts';
import { plainEnv } from './support/installed.ts';

const run = promisify(execFile);

test('npm start installs the packages that running needs, and npm test the rest', async () => {
  await using checkout = await openCheckout();
  const started = await checkout.setUp();
  expect(started.npm).toEqual(['ci --omit=dev --loglevel=error --no-progress']);
  expect(started.stderr).toContain('Installing the packages that running needs');
  expect(started.stderr).toMatch(/done in \d+ s/);
  expect(checkout.has('node_modules/runs')).toBe(true);
  expect(checkout.has('node_modules/tests')).toBe(false);

  expect(await checkout.setUp()).toEqual({ npm: [], stderr: '' });

  const tested = await checkout.setUp('--all');
  expect(tested.npm).toEqual(['ci --include=dev --loglevel=error --no-progress']);
  expect(tested.stderr).toContain('Installing all packages');
  expect(checkout.has('node_modules/tests')).toBe(true);

  expect(await checkout.setUp('--all')).toEqual({ npm: [], stderr: '' });
  expect(await checkout.setUp()).toEqual({ npm: [], stderr: '' });
});

test('npm start installs again after package-lock.json changed', async () => {
  await using checkout = await openCheckout();
  await checkout.setUp();
  checkout.write('package-lock.json', lock({ runs: '1.1.0' }));
  expect((await checkout.setUp()).npm).toHaveLength(1);
});

test('npm start ends with the exit code of a failed installation and builds nothing', async () => {
  await using checkout = await openCheckout();
  checkout.write('npm-cli.js', 'console.error("npm error network"); process.exitCode = 7;');
  await expect(checkout.setUp()).rejects.toMatchObject({
    code: 7,
    stderr: expect.stringContaining('npm error network'),
  });
});

test('the packages that npm start builds with and runs are not development packages', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const sources = [...readPackages(), ...readSources('packages/web/src', ['.ts', '.tsx']), ...readSources('site')];
  const imported = sources
    .filter(([file]) => !file.includes('.test.'))
    .flatMap(([file, source]) => importsOf(file, source))
    .filter(({ ours, types, to }) => !ours && !types && !to.startsWith('node:'))
    .map(({ to }) => packageOf(to));
  const needed = new Set([...imported, 'vite', 'node', 'tailwindcss', '@modelcontextprotocol/server-filesystem']);
  needed.delete('@langchain/core'); // An optional peer of the library.
  expect(needed.size).toBeGreaterThan(30);
  const isMissing = (name: string) => packages[`node_modules/${name}`]?.dev !== undefined;
  expect([...needed].filter((name) => isMissing(name))).toEqual([]);
});

test('npm start builds only the documentation after a page changed', async () => {
  await using checkout = await openCheckout();
  await checkout.setUp();
  checkout.write(
    'site/build.ts',
    "import { writeFileSync } from 'node:fs';\nwriteFileSync('dist/docs/index.html', 'new');",
  );
  const { stderr } = await checkout.setUp();
  expect(stderr).toContain('Building the documentation');
  expect(stderr).not.toContain('the app');
  expect(await checkout.setUp()).toEqual({ npm: [], stderr: '' });
});

/** A small built checkout with the scripts of this one, and an npm that creates the packages of its lockfile. */
async function openCheckout() {
  const directory = await tempDir();
  const path = (name: string) => directory.file(name);
  const write = (name: string, content: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), content);
  };
  cpSync(join(root, 'scripts'), path('scripts'), { recursive: true });
  for (const file of [
    'packages/contract/errors.ts',
    'packages/toolwharf/index.ts',
    'tsconfig.json',
    'packages/web/index.html',
    'packages/web/vite.config.ts',
    'packages/gateway/core/gateway.ts',
    'packages/gateway/features/a2a/endpoint.ts',
    'packages/cli/main.ts',
    'packages/web/src/main.tsx',
    'packages/web/public/icon.svg',
    'docs/README.md',
    'site/build.ts',
    'CHANGELOG.md',
  ])
    write(file, '');
  write('package.json', JSON.stringify({ type: 'module' }));
  for (const file of ['dist/cli/main.js', 'dist/web/index.html', 'dist/docs/index.html']) write(file, '');
  write('package-lock.json', lock({ runs: '1.0.0' }));
  write('npm-cli.js', npmProgram);
  return {
    write,
    has: (name: string) => existsSync(path(name)),
    /** Runs scripts/setup.mjs; `npm` lists the arguments that it started npm with. */
    async setUp(...args: string[]) {
      write('npm.log', '');
      const env = { ...plainEnv(), npm_execpath: path('npm-cli.js') };
      const { stderr } = await run(process.execPath, [path('scripts/setup.mjs'), ...args], { env });
      return { npm: readFileSync(path('npm.log'), 'utf8').split('\n').filter(Boolean), stderr };
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function lock({ runs }: { readonly runs: string }): string {
  return JSON.stringify({
    packages: {
      '': {},
      'node_modules/runs': { version: runs, integrity: `sha512-${runs}` },
      'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-1', optional: true },
      'node_modules/tests': { version: '1.0.0', integrity: 'sha512-2', dev: true },
    },
  });
}

const npmProgram = `
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
const args = process.argv.slice(2);
appendFileSync('npm.log', args.join(' ') + '\\n');
rmSync('node_modules', { recursive: true, force: true });
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const installed = Object.entries(packages).filter(
  ([path, entry]) => path !== '' && !entry.optional && (!entry.dev || args.includes('--include=dev')),
);
for (const [path] of installed) {
  mkdirSync(path, { recursive: true });
  writeFileSync(path + '/package.json', '{}');
}
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(installed) }));
`;
