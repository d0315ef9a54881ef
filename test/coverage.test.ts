import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from './support/fixtures.ts';
import { root } from './support/imports.ts';

const run = promisify(execFile);
const program = "export const loaded = true;\nexport const greet = () =>\n'hello';\n";

/** A module of ten lines with statements, of which a program that imports it runs the first ones. Types are not counted. */
function moduleOf(covered: number): string {
  const lines = (count: number) => 'globalThis.ran = true;\n'.repeat(count);
  return `interface Unused {\n  readonly name: string;\n}\n${lines(covered)}export function never(_: Unused) {\n${lines(10 - covered)}}\n`;
}

/** A project with two rooms: `kernel`, with this many covered lines of ten, and `cli`, which has not run. */
async function createProject(directory: { file(name: string): string }, { covered }: { covered: number }) {
  const path = (name: string) => directory.file(name);
  const files = {
    'packages/toolwharf/kernel/slices.ts': moduleOf(covered),
    'packages/toolwharf/kernel/json.test.ts': 'throw new Error("tests are not counted");\n',
    'packages/cli/main.ts': program,
    'package.json': '{ "type": "module" }',
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), content);
  }
  const url = (name: string) => pathToFileURL(path(name)).href;
  const runChild = (code: string) =>
    run(process.execPath, ['--input-type=module', '--eval', code], { env: { NODE_V8_COVERAGE: path('coverage') } });
  await runChild(`await import('${url('packages/toolwharf/kernel/slices.ts')}');`);
  return {
    /** Runs a program, and records its coverage. */
    runChild,
    async check() {
      const args = ['.', 'coverage'].map((name) => join(path('.'), name));
      const script = join(root, 'scripts', 'coverage.mjs');
      return run(process.execPath, [script, ...args]).then(
        ({ stdout }) => ({ code: 0, stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
      );
    },
    main: url('packages/cli/main.ts'),
  };
}

test('a room with too few covered lines fails the check, and what several processes ran is added up [N8]', async () => {
  await using directory = await tempDir();
  const project = await createProject(directory, { covered: 9 });
  expect(await project.check()).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^cli {12}0\.0 % {2}0\/3 {2}below 90 %\nkernel {8}90\.0 % {2}9\/10\n/),
  });

  await project.runChild(`await import('${project.main}');`);
  expect(await project.check()).toMatchObject({ code: 1, stdout: expect.stringContaining('33.3 %  1/3  below 90 %') });

  await project.runChild(`(await import('${project.main}')).greet();`);
  expect(await project.check()).toMatchObject({ code: 0, stdout: expect.stringContaining('100.0 %  3/3\n') });
});

test('one uncovered line below the threshold of a library room fails the check [N8]', async () => {
  await using directory = await tempDir();
  const project = await createProject(directory, { covered: 8 });
  await project.runChild(`(await import('${project.main}')).greet();`);
  expect(await project.check()).toMatchObject({ code: 1, stdout: expect.stringContaining('80.0 %  8/10  below 90 %') });
});
