import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from './support/fixtures.ts';
import { root } from './support/imports.ts';

const run = promisify(execFile);
const bundle = "export const loaded = true;\nexport function greet() {\nreturn 'hello'; }\n";
/** Each line of the bundle is the same line of the source, from its beginning. */
const map = { version: 3, file: 'main.js', sources: ['../../src/cli/main.ts'], names: [], mappings: 'AAAA;AACA;AACA' };

/** A project whose `src` has two rooms: `kernel`, with this many covered lines of ten, and `cli`, which no test imports. */
async function createProject(directory: { file(name: string): string }, { covered }: { covered: number }) {
  const statements = (lines: number) =>
    Object.fromEntries(Array.from({ length: lines }, (_, at) => [at, { start: { line: at + 1, column: 0 } }]));
  const counts = (lines: number, run: number) =>
    Object.fromEntries(Array.from({ length: lines }, (_, at) => [at, at < run ? 1 : 0]));
  const path = (name: string) => directory.file(name);
  const report = [
    { path: path('src/kernel/json.ts'), statementMap: statements(10), s: counts(10, covered) },
    { path: path('src/cli/main.ts'), statementMap: statements(3), s: counts(3, 0) },
  ];
  const files = {
    'report.json': JSON.stringify(report),
    'src/cli/main.ts': bundle,
    'dist/cli/main.js': bundle,
    'maps/main.js.map': JSON.stringify(map),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), content);
  }
  return {
    /** Runs a program that imports the bundle, and records its coverage. */
    runChild: (code: string) =>
      run(process.execPath, ['--input-type=module', '--eval', code], {
        env: { NODE_V8_COVERAGE: path('children') },
      }),
    async check() {
      const args = ['.', 'report.json', 'children', 'maps'].map((name) => join(path('.'), name));
      const script = join(root, 'scripts', 'coverage.mjs');
      return run(process.execPath, [script, ...args]).then(
        ({ stdout }) => ({ code: 0, stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
      );
    },
    main: pathToFileURL(path('dist/cli/main.js')).href,
  };
}

test('a room with too few covered lines fails the check, and lines that a child process ran are covered [N8]', async () => {
  await using directory = await tempDir();
  const project = await createProject(directory, { covered: 9 });
  expect(await project.check()).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^cli {12}0\.0 % {2}0\/3 {2}below 90 %\nkernel {8}90\.0 % {2}9\/10\n/),
  });

  await project.runChild(`await import('${project.main}');`);
  expect(await project.check()).toMatchObject({ code: 1, stdout: expect.stringContaining('66.7 %  2/3  below 90 %') });

  await project.runChild(`(await import('${project.main}')).greet();`);
  expect(await project.check()).toMatchObject({ code: 0, stdout: expect.stringContaining('100.0 %  3/3\n') });
});

test('one uncovered line below the threshold of a library room fails the check [N8]', async () => {
  await using directory = await tempDir();
  const project = await createProject(directory, { covered: 8 });
  await project.runChild(`(await import('${project.main}')).greet();`);
  expect(await project.check()).toMatchObject({ code: 1, stdout: expect.stringContaining('80.0 %  8/10  below 90 %') });
});
